"""dispose_batch: delete a settled batch's HITs at the crowd."""

from annotation.batches.operations.disposing import DISPOSE
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(DISPOSE, "dispose_batch first")
