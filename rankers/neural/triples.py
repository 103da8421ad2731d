"""Triples of a query, a relevant and an irrelevant passage, and files of any number of them."""

import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from tempfile import TemporaryFile
from typing import BinaryIO, Protocol

import torch

from metrics.errors import InputError
from metrics.io.lines import (
    BYTE_ORDER_MARK,
    MAX_LINE,
    is_read_as_is,
    numbered_lines,
    open_text,
)
from rankers.neural.passages import Passages

_COLUMNS = 3
_BLOCK = 4_096  # lines that are read together
_WINDOW = 16  # blocks that are shuffled together, and lie in memory


@dataclass(frozen=True)
class Triple:
    """`positive` and `negative` are texts; their docnos are "" where the file gives texts alone."""

    query: str
    positive: str
    negative: str
    positive_docno: str = ""
    negative_docno: str = ""


class Triples(Protocol):
    """The source of a training's triples."""

    def __len__(self) -> int: ...

    def shuffled(self, generator: torch.Generator, start: int = 0) -> Iterator[Triple]:
        """Each triple once, in the order that the generator draws, from place `start` on."""


class TripleList:
    """Triples in memory."""

    def __init__(self, triples: Sequence[Triple]) -> None:
        self._triples = triples

    def __len__(self) -> int:
        return len(self._triples)

    def shuffled(self, generator: torch.Generator, start: int = 0) -> Iterator[Triple]:
        order = torch.randperm(len(self), generator=generator)
        return (self._triples[place] for place in order[start:].tolist())


class TripleFile:
    """Triples of texts, or of a query id and two docnos, which `queries` and `passages` resolve.

    Every line is checked once, at the start; then blocks of lines are read where they are needed:
    blocks in a drawn order, and the lines of 16 blocks shuffled together, so that 65,536 triples
    lie in memory whatever the file. What is packed, or no plain UTF-8, is copied into
    a file without a name.

    Ids are recognised on the first line: its query is an id of `queries`. Raises `InputError` with
    file and line for a line without three columns, an empty text, and an unknown id.
    """

    def __init__(self, path: Path, queries: Mapping[str, str], passages: Passages) -> None:
        self._path, self._queries, self._passages = path, queries, passages
        self._by_id = False
        self._starts = array("Q")
        self._length = 0
        self._file = self._checked()
        if not self._length:
            raise InputError("is empty.", path=path)

    def __len__(self) -> int:
        return self._length

    def shuffled(self, generator: torch.Generator, start: int = 0) -> Iterator[Triple]:
        blocks = torch.randperm(len(self._starts), generator=generator).tolist()
        for first in range(0, len(blocks), _WINDOW):
            window = blocks[first : first + _WINDOW]
            size = sum(min(_BLOCK, len(self) - block * _BLOCK) for block in window)
            order = torch.randperm(size, generator=generator)[start:].tolist()
            start = max(0, start - size)
            if order:
                lines = [line for block in window for line in self._lines(block)]
                yield from (self._triple(lines[place]) for place in order)

    def _checked(self) -> BinaryIO:
        """The file to read from, once all of its lines have been checked."""
        is_copied, place = not is_read_as_is(self._path), 0
        file: BinaryIO = TemporaryFile() if is_copied else self._path.open("rb")  # noqa: SIM115
        weakref.finalize(self, file.close)
        ids: list[list[str]] = []
        with open_text(self._path) as stream:
            for number, raw in numbered_lines(stream, self._path, MAX_LINE):
                if (number - 1) % _BLOCK == 0:
                    self._check_ids(ids)
                    self._starts.append(place)
                    ids = []
                place += len(raw)
                ids.append(self._checked_fields(raw, number))
                self._length = number
                if is_copied:
                    file.write(raw)
        self._check_ids(ids)
        return file

    def _checked_fields(self, raw: bytes, line: int) -> list[str]:
        try:
            fields = _fields(raw)
        except UnicodeDecodeError:
            raise InputError(
                "is not UTF-8.", path=self._path, line=line, remedy="Save the file as UTF-8."
            ) from None
        if len(fields) != _COLUMNS or not all(field.strip() for field in fields):
            raise InputError(
                "is not a query, a relevant and an irrelevant passage.",
                path=self._path,
                line=line,
                remedy="Write three texts, or qid, docno and docno, separated by tabs.",
            )
        if line == 1:
            self._by_id = fields[0] in self._queries
        if self._by_id and fields[0] not in self._queries:
            raise self._unknown("query", fields[0], line)
        return fields

    def _check_ids(self, block: list[list[str]]) -> None:
        """Look up the passages of a block of lines, the last ones read, at once."""
        if not self._by_id:
            return
        docnos = [docno for fields in block for docno in fields[1:]]
        place = self._passages.first_missing(docnos)
        if place is not None:
            line = self._length - len(block) + place // 2 + 1
            raise self._unknown("passage", docnos[place], line)

    def _unknown(self, kind: str, identifier: str, line: int) -> InputError:
        return InputError(f"the {kind} {identifier!r} has no text.", path=self._path, line=line)

    def _lines(self, block: int) -> list[bytes]:
        self._file.seek(self._starts[block])
        return list(islice(self._file, _BLOCK))

    def _triple(self, raw: bytes) -> Triple:
        query, positive, negative = _fields(raw)
        if not self._by_id:
            return Triple(query, positive, negative)
        texts = self._queries[query], self._passages[positive], self._passages[negative]
        return Triple(*texts, positive, negative)


def _fields(raw: bytes) -> list[str]:
    return raw.decode().removeprefix(BYTE_ORDER_MARK).rstrip("\r\n").split("\t")
