"""label_batch: the votes of a batch to one label per query."""

from annotation.core.commands import OperationCommand
from annotation.labels.operations.decide import LABEL

Command = OperationCommand.of(LABEL, "label_batch study --method majority")
