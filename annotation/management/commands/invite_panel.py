"""invite_panel: an address for a panel's study."""

from annotation.batches.operations.inviting.panel import INVITE_PANEL
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(INVITE_PANEL, "invite_panel first --provider prolific")
