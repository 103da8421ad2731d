"""invite_link: a link by which annotators come to a batch."""

from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.core.commands import OperationCommand


class Command(OperationCommand):
    operation = INVITE_LINK
    example = "invite_link first --places 20 --days 14"
