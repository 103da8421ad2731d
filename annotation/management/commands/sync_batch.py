"""sync_batch: collect what workers handed in for a batch."""

from annotation.batches.operations.collect import COLLECT
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(COLLECT, "sync_batch first --approve")
