"""A study made of a bundle."""

from contextlib import ExitStack
from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.commands import OperationCommand
from annotation.reports.operations.import_bundle import IMPORT_BUNDLE
from annotation.studies.operations.files import shown_name


class Command(OperationCommand):
    operation = IMPORT_BUNDLE
    left_out = frozenset({"filename", "stream"})
    example = "study import-bundle study.zip --name again"

    def add_subject(self, parser: CommandParser) -> None:
        parser.add_argument("bundle", type=Path, metavar="B.zip", help="The bundle to import.")

    def handle(self, **options: Any) -> None:
        with ExitStack() as self._opened:
            super().handle(**options)

    def find(self, options: dict[str, Any]) -> None:
        path: Path = options["bundle"]
        stream = self._opened.enter_context(path.open("rb"))
        options |= {"stream": stream, "filename": shown_name(path.name)}
