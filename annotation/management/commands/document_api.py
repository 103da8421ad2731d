"""document_api: bring the generated part of docs/api.md up to date."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.api.table import BEGIN, END, operation_table
from metrics.errors import InputError
from metrics.files import write_text
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Write a table of every operation of the API between the marks of a Markdown file."
    example = "document_api docs/api.md"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="The Markdown file to bring up to date.")

    def handle(self, **options: Any) -> None:
        path = Path(options["file"])
        text = path.read_text(encoding="utf-8")
        if text.count(BEGIN) != 1 or text.count(END) != 1:
            raise InputError("has not one pair of marks.", path=path, remedy=f"Write {BEGIN} {END}")
        before, after = text.partition(BEGIN)[0], text.partition(END)[2]
        write_text(path, f"{before}{BEGIN}\n{operation_table()}{END}{after}")
        self.stdout.write(f"{path} is up to date.")
