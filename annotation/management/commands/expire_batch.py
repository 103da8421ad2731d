"""expire_batch: the stop button of a batch."""

from annotation.batches.operations.stop import STOP
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(STOP, "expire_batch first")
