"""expire_batch: the stop button of a batch."""

from annotation.batches.operations.stop import STOP
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = STOP
    example = "expire_batch first"
