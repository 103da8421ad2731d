"""Cutting a collection into shards.

A shard is spans of whole lines of one or several files, or of row groups; an archive cannot be
entered in its middle, so it is one span.
"""

import json
from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import BinaryIO

from ...engines import SHARD_SIZE
from ...errors import InputError
from ...extras import need
from ...io import headers
from ...io import storage as places
from ...io.digests import bytes_digest
from ...io.lines import is_plain, open_text
from ...io.packing import HEAD, packing_of
from ...vocabulary import Format
from ..collection import detect_format, empty_collection, header_size, is_parquet

LEAST_SIZE = 64 << 20  # of a shard that small files are gathered in
_BLOCK = 1 << 20


@dataclass(frozen=True)
class File:
    """A file of a collection as it was when the shards were made."""

    path: str
    size: int  # bytes as they lie there
    modified: int  # nanoseconds since 1970
    format: Format  # never "auto"
    n_headers: int = 0  # lines before the first passage
    is_whole: bool = False  # packed, or not lines of UTF-8: then it is one span

    def check_unchanged(self) -> None:
        """`InputError` where the file has become another one."""
        if places.stat(self.path) != (self.size, self.modified):
            raise InputError(
                "has changed since its shards were made.",
                path=self.path,
                remedy="Score it again when nothing writes to it.",
            )


@dataclass(frozen=True)
class Span:
    """The bytes `begin` to `end` of the file with the number `file`, as they lie there.

    Of a Parquet file they are the numbers of row groups. `size` is in bytes, unpacked in Parquet.
    """

    file: int
    begin: int
    end: int
    size: int


@dataclass(frozen=True)
class Shard:
    """Spans that follow each other."""

    spans: tuple[Span, ...]

    @property
    def size(self) -> int:
        return sum(span.size for span in self.spans)


@dataclass(frozen=True)
class Plan:
    """Which shards the files of a collection are scored in; the shards are in their order."""

    files: tuple[File, ...]
    shards: tuple[Shard, ...]

    @property
    def size(self) -> int:
        return sum(shard.size for shard in self.shards)

    def digest(self, *how: str) -> str:
        """Name of the parts: it differs for other files, other shards, another way to score."""
        return bytes_digest(json.dumps([asdict(self), how], sort_keys=True).encode())


def plan_shards(
    paths: Sequence[str | Path],
    format: Format = "auto",  # noqa: A002 - the name of the command's option
    shard_size: int = SHARD_SIZE,
) -> Plan:
    """Cut files (paths or URLs) into shards of about `shard_size` bytes that begin at lines.

    Small files are gathered. Raises `InputError` for a file that is missing or empty, and for
    standard input.
    """
    if shard_size < 1:
        raise InputError(f"shards of {shard_size} bytes.", remedy="Use 1 or more.")
    files = tuple(_file(path, format) for path in paths)
    spans = (span for number, file in enumerate(files) for span in _spans(number, file, shard_size))
    return Plan(files, tuple(_gathered(spans, min(shard_size, LEAST_SIZE))))


def _file(path: str | Path, format_: Format) -> File:
    if str(path) == "-":
        raise InputError(
            "standard input cannot be read in shards.", remedy="Save it to a file first."
        )
    path = places.absolute(path)
    size, modified = places.stat(path)
    if is_parquet(path, format_):
        return File(path, size, modified, "parquet")
    with open_text(path) as stream:
        start = bytes(stream.peek(headers.HEAD))
    if not start:
        raise empty_collection(path)
    known = detect_format(path, format_, start)
    n_headers = int(bool(header_size(start, path, format_)))
    with places.open_raw(path) as raw:
        is_whole = bool(packing_of(raw.read(HEAD))) or not is_plain(path)
    return File(path, size, modified, known, n_headers, is_whole)


def _spans(number: int, file: File, shard_size: int) -> Iterator[Span]:
    if file.format == "parquet":
        yield from _row_groups(number, file, shard_size)
        return
    if file.is_whole:
        yield Span(number, 0, file.size, file.size)
        return
    begin = 0
    with places.open_raw(file.path) as raw:
        while begin < file.size:
            end = _line_start(raw, begin + shard_size, file.size)
            yield Span(number, begin, end, end - begin)
            begin = end


def _row_groups(number: int, file: File, shard_size: int) -> Iterator[Span]:
    sizes: list[int] = need("..parquet_collection", __package__).group_sizes(file.path)
    if not sizes:
        raise empty_collection(file.path)
    begin = size = 0
    for group, group_size in enumerate(sizes, 1):
        size += group_size
        if size >= shard_size or group == len(sizes):
            yield Span(number, begin, group, size)
            begin, size = group, 0


def _gathered(spans: Iterator[Span], least: int) -> Iterator[Shard]:
    """Shards of at least so many bytes each, but the last."""
    gathered: list[Span] = []
    for span in spans:
        gathered.append(span)
        if sum(part.size for part in gathered) >= least:
            yield Shard(tuple(gathered))
            gathered = []
    if gathered:
        yield Shard(tuple(gathered))


def _line_start(raw: BinaryIO, near: int, size: int) -> int:
    """Where the first line begins at `near` or behind it; the end of the file if none does."""
    if near >= size:
        return size
    at = near - 1  # the line before may end just there
    raw.seek(at)
    while block := raw.read(min(_BLOCK, size - at)):
        feed: int = block.find(b"\n")
        if feed >= 0:
            return at + feed + 1
        at += len(block)
    return size
