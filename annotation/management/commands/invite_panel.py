"""invite_panel: an address for a panel's study."""

from annotation.batches.operations.inviting.panel import INVITE_PANEL
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = INVITE_PANEL
    example = "invite_panel first --provider prolific"
