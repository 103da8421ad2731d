"""What the commands about one answer of a batch share."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.operations.reviewing import assignment_get
from annotation.batches.queries.batches import batch_get
from annotation.core.commands import OperationCommand


class AnswerCommand(OperationCommand):
    """Does `operation` to the answer that batch and assignment name."""

    def add_subject(self, parser: CommandParser) -> None:
        parser.add_argument("subject", metavar="BATCH", help="Name of the batch.")
        parser.add_argument("assignment", help="Id of the assignment.")

    def find(self, **options: Any) -> Any:
        return assignment_get(
            batch=batch_get(name=options["subject"]), assignment_id=options["assignment"]
        )
