"""document_measures: bring the generated part of docs/metrics.md up to date."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from metrics.errors import InputError
from metrics.files import write_text
from metrics.management.command import FairpoolCommand
from metrics.measures.reference import BEGIN, END, section


class Command(FairpoolCommand):
    help = "Write what the measures say about themselves between the marks of a Markdown file."
    example = "document_measures docs/metrics.md"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="The Markdown file to bring up to date.")

    def handle(self, **options: Any) -> None:
        path = Path(options["file"])
        text = path.read_text(encoding="utf-8")
        if text.count(BEGIN) != 1 or text.count(END) != 1:
            raise InputError("has not one pair of marks.", path=path, remedy=f"Write {BEGIN} {END}")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        write_text(path, before + section() + after)
        self.stdout.write(f"{path} is up to date.")
