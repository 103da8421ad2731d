"""Kinds of files that commands write, detected by content: only the same kind is replaced."""

import os
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from pathlib import Path

from .run_names import run_name

#: The manifest of a folder of parts.
MANIFEST = "manifest.json"
_HEAD = 1 << 16


@dataclass(frozen=True)
class FileKind:
    """A kind of file that a command writes. `recognises` says whether a file there is of it."""

    name: str
    recognises: Callable[[Path], bool]


def text_kind(name: str, *beginnings: str) -> FileKind:
    """Files that begin with one of these."""
    heads = tuple(beginning.encode() for beginning in beginnings)
    return FileKind(name, lambda path: _head(path).removeprefix(b"\xef\xbb\xbf").startswith(heads))


def page_kind(name: str) -> FileKind:
    """Pages of HTML that were made from our templates."""
    mark = (
        b'<meta name="color-scheme" content="light dark">\n'
        b'<meta name="referrer" content="no-referrer">'
    )
    return FileKind(name, lambda path: mark in _head(path))


def part_of(name: str, mark: str, kind: FileKind) -> FileKind:
    """Files of a folder that is known by one file in it: `mark`, of this kind."""

    def recognises(path: Path) -> bool:
        known = path.parent / mark
        return known.is_file() and kind.recognises(known)

    return FileKind(f"part of {name}", recognises)


def line_kind(name: str, recognises: Callable[[str], bool]) -> FileKind:
    """Text files whose first line is as `recognises` says."""

    def first_line(path: Path) -> bool:
        line = _head(path).partition(b"\n")[0]
        return recognises(line.decode("utf-8", "replace"))

    return FileKind(name, first_line)


def parquet_kind(name: str, key: str) -> FileKind:
    """Parquet files with this key in their metadata, which stand at the end."""
    return FileKind(
        name, lambda path: _head(path, 4) == b"PAR1" and key.encode() in _parquet_footer(path)
    )


def table_kind(name: str, columns: Iterable[str]) -> FileKind:
    """Tables that begin with these columns, as CSV, Markdown, LaTeX or JSON of ours."""
    columns = list(columns)
    markdown = " | ".join(columns).replace("_", r"\_")
    return text_kind(
        name, ",".join(columns), f"| {markdown}", "%", "\\begin{t", '{\n  "fairpool"', '{\n  "rows"'
    )


def either_kind(first: FileKind, second: FileKind) -> FileKind:
    """Files of one of two kinds, by the name of the first."""
    return FileKind(first.name, lambda path: first.recognises(path) or second.recognises(path))


def _head(path: Path, size: int = _HEAD) -> bytes:
    with path.open("rb") as file:
        return file.read(size)


def _parquet_footer(path: Path) -> bytes:
    """The footer: its length stands in the four bytes before the last four, which are PAR1."""
    with path.open("rb") as file:
        end = file.seek(0, os.SEEK_END)
        if end < len(b"PAR1....PAR1"):
            return b""
        file.seek(end - 8)
        size = min(int.from_bytes(file.read(4), "little"), end - 8)
        file.seek(end - 8 - size)
        return file.read(size)


#: The provenance file beside a result.
PROVENANCE = text_kind("a description that Fairpool wrote", '{\n  "fairpool"')
_SCORED_FILE = parquet_kind("a scored collection", "fairpool.lexicon_sha256")
SCORED_COLLECTION = FileKind(
    _SCORED_FILE.name,
    lambda path: (
        (path / MANIFEST).is_file() and b'"lexicon_sha256"' in _head(path / MANIFEST)
        if path.is_dir()
        else _SCORED_FILE.recognises(path)
    ),
)
REPORT_PAGE = page_kind("the page of a report")
COUNTERFACTUAL = FileKind(
    "a counterfactual collection with its .meta.json",
    lambda path: (
        Path(f"{path}.meta.json").is_file() and b'"n_changed"' in _head(Path(f"{path}.meta.json"))
    ),
)
#: A run is ours where the last column is the name of its file.
RUN_OF_ITS_NAME = FileKind(
    "a run of that name",
    lambda path: (
        _head(path).partition(b"\n")[0].split()[5:]
        == [run_name(path).removesuffix(".counterfactual").encode()]
    ),
)
