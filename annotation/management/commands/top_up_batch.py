"""top_up_batch: request again what a batch lacks."""

from annotation.batches.operations.top_up import TOP_UP
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(TOP_UP, "top_up_batch first")
