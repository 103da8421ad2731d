"""revoke_channel: close a link, account or panel address."""

from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(REVOKE_CHANNEL, "revoke_channel first --channel 3CHANNEL")
