"""Other texts on the task page of a batch."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.operations.codebooks import CHANGE_CODEBOOK
from annotation.core.commands import OperationCommand
from annotation.management.arguments import codebook_of


class Command(OperationCommand):
    operation = CHANGE_CODEBOOK
    example = "batch change-codebook first --codebook codebook.json"

    def add_subject(self, parser: CommandParser) -> None:
        super().add_subject(parser)
        parser.add_argument(
            "--codebook",
            type=Path,
            required=True,
            metavar="FILE",
            help="JSON file with question, definitions and examples, as in a bundle.",
        )

    def find(self, options: dict[str, Any]) -> Any:
        options["codebook"] = codebook_of(options["codebook"])
        return super().find(options)
