"""Formats of exported files: each is one module of a package, and found by itself."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Protocol

from metrics.io.file_kinds import FileKind, line_kind


@dataclass(frozen=True, kw_only=True)
class FileFormat:
    """A format of a file, from which page, API and command line take their texts."""

    #: Name in options and addresses.
    name: str
    #: Name on pages.
    title: str
    #: Content of a line, in a few words.
    summary: str
    #: Its place in lists; the first is the default.
    position: int
    content_type: str
    #: The ending of a file's name, without the dot.
    extension: str
    #: The first line of such a file: a command replaces no other file.
    first_line: re.Pattern[str]


class Described(Protocol):
    """A format of exported or imported files, as lists of formats show it."""

    @property
    def summary(self) -> str: ...


def describe(formats: Mapping[str, Described]) -> str:
    """Each format with its summary, as the help of an option."""
    return "; ".join(f"{name}: {layout.summary}" for name, layout in formats.items()) + "."


def kind_of_file(name: str, formats: Mapping[str, FileFormat]) -> FileKind:
    """The files that a command which writes these formats may replace."""
    beginnings = [layout.first_line for layout in formats.values()]
    return line_kind(name, lambda line: any(beginning.fullmatch(line) for beginning in beginnings))
