"""publish_batch: publish a batch; run again after any interruption, it goes on where it stopped."""

from annotation.batches.operations.publish import PUBLISH
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = PUBLISH
    example = "publish_batch first --yes"
