"""revoke_channel: close a link, account or panel address."""

from annotation.batches.operations.revoke_channel import REVOKE_CHANNEL
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = REVOKE_CHANNEL
    example = "revoke_channel first --channel 3CHANNEL"
