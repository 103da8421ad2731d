"""Sections of our documentation that the code writes itself."""

from abc import abstractmethod
from pathlib import Path
from typing import Any, ClassVar

from django.core.management.base import CommandParser

from ..errors import InputError
from ..io.files import write_text
from .command import FairpoolCommand


class SectionCommand(FairpoolCommand):
    """Brings what stands between two marks of a Markdown file up to date."""

    begin: ClassVar[str]
    end: ClassVar[str]

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("file", metavar="FILE", help="The Markdown file to bring up to date.")

    def handle(self, **options: Any) -> None:
        path = Path(options["file"])
        text = path.read_text(encoding="utf-8")
        if text.count(self.begin) != 1 or text.count(self.end) != 1:
            raise InputError(
                "has not one pair of marks.", path=path, remedy=f"Write {self.begin} {self.end}"
            )
        before, after = text.partition(self.begin)[0], text.partition(self.end)[2]
        write_text(path, before + self.section() + after)
        self.stdout.write(f"{path} is up to date.")

    @abstractmethod
    def section(self) -> str:
        """The section, with its marks."""
