"""publish_batch: publish a batch; run again after any interruption, it goes on where it stopped."""

from annotation.batches.operations.publish import PUBLISH
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(PUBLISH, "publish_batch first --yes")
