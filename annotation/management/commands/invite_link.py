"""invite_link: a link by which annotators come to a batch."""

from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.core.commands import OperationCommand

Command = OperationCommand.of(INVITE_LINK, "invite_link first --places 20 --days 14")
