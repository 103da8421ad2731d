"""The definition of a run, line by line: the oracle of the fast path, which hands it unusual lines.

A line is `qid Q0 docno rank score tag`, separated by blanks or tabs. Order of a ranking:

- `default`: score descending, then the rank column ascending (it keeps a model's own order where
  its scores were rounded), then docno descending as text (trec_eval's rule);
- `trec_eval`: score in single precision descending, then docno descending, as trec_eval does; the
  rank column is ignored;
- `rank`: the rank column ascending, then score descending, then docno descending.

A document that a query repeats counts once, at its best place.
"""

import math
import re
from collections.abc import Collection, Iterable
from ctypes import c_float
from itertools import pairwise, takewhile
from pathlib import Path
from typing import NamedTuple

from ..errors import InputError
from ..vocabulary import Order

_COLUMNS = 6
_BLANKS = re.compile(rb"[ \t]+")
_RANK = re.compile(rb"\+?[0-9]{1,18}")
_SCORE = re.compile(rb"[+-]?([0-9]+(\.[0-9]*)?|\.[0-9]+)([eE][+-]?[0-9]+)?")
_NOT_A_NUMBER = re.compile(rb"[+-]?(nan|inf|infinity)", re.IGNORECASE)
_SHAPE = "Write: qid Q0 docno rank score tag."

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Line(NamedTuple):
    """One document of a query, as it stands in the file."""

    docno: str
    rank: int
    score: float
    line: int


def fields_of(raw: bytes) -> list[bytes]:
    """The columns of a line; none for an empty one."""
    stripped = raw.rstrip(b"\r\n").strip(b" \t")
    return _BLANKS.split(stripped) if stripped else []


def parse_line(fields: list[bytes], path: str | Path, number: int) -> tuple[str, Line]:
    """Query and document of line `number`; `InputError` for a line of another shape."""
    if len(fields) != _COLUMNS:
        raise InputError(
            f"expected {_COLUMNS} columns, found {len(fields)}.",
            path=path,
            line=number,
            remedy=_SHAPE,
        )
    qid, docno = (_text(field, path, number) for field in (fields[0], fields[2]))
    _text(b" ".join(fields), path, number)
    if _RANK.fullmatch(fields[3]) is None:
        raise InputError(
            f"the rank {_shown(fields[3])} is not a whole number from 0.", path=path, line=number
        )
    return qid, Line(docno, int(fields[3]), _score(fields[4], path, number), number)


def _score(field: bytes, path: str | Path, number: int) -> float:
    if _NOT_A_NUMBER.fullmatch(field):
        raise InputError(
            f"the score is {_shown(field)}, which cannot be ranked.",
            path=path,
            line=number,
            remedy="Make the run again: a model that gives such a score has failed.",
        )
    if _SCORE.fullmatch(field) is None:
        raise InputError(
            f"the score {_shown(field)} is not a number.", path=path, line=number, remedy=_SHAPE
        )
    score = float(field)
    if math.isinf(score):
        raise InputError(f"the score {_shown(field)} is too large.", path=path, line=number)
    return score


def _text(field: bytes, path: str | Path, number: int) -> str:
    if b"\0" in field:
        raise InputError(
            "holds a NUL byte.",
            path=path,
            line=number,
            remedy="Is this a run? Write: qid Q0 docno rank score tag.",
        )
    try:
        return field.decode("utf-8")
    except UnicodeDecodeError:
        raise InputError(
            "is not UTF-8.", path=path, line=number, remedy="Save the run as UTF-8."
        ) from None


def _shown(field: bytes) -> str:
    return repr(field.decode("utf-8", "replace")[:40])


def read_lines(
    source: Iterable[tuple[int, bytes]], path: str | Path, queries: Collection[str] | None = None
) -> dict[str, list[Line]]:
    """The lines of each query, in the order of `source`; `InputError` when there are none.

    `source` gives each line with its number.

    With `queries`, a line of any other query is ignored before anything about it is checked.
    """
    selected = None if queries is None else {qid.encode() for qid in queries}
    lines_of: dict[str, list[Line]] = {}
    empty = True
    for number, raw in source:
        fields = fields_of(raw.removeprefix(BYTE_ORDER_MARK))
        empty = empty and not fields
        if not fields or (selected is not None and fields[0] not in selected):
            continue
        qid, line = parse_line(fields, path, number)
        lines_of.setdefault(qid, []).append(line)
    if not lines_of:
        raise nothing_in(path, empty=empty, n_queries=0 if queries is None else len(queries))
    return lines_of


class NoQueryError(InputError):
    """A run that has none of the queries that were asked for."""


def nothing_in(path: str | Path, *, empty: bool, n_queries: int) -> InputError:
    """The error for a run without any line that is wanted."""
    if empty:
        return InputError("is empty.", path=path, remedy=_SHAPE)
    return NoQueryError(
        f"has none of the {n_queries:,} queries that are to be measured.",
        path=path,
        remedy="Do the run and the query file belong to the same set?",
    )


def ranking(lines: Iterable[Line], order: Order = "default") -> list[Line]:
    """The lines of one query from best to worst, repeated documents included."""
    # Lines that repeat a document with its score stand by their rank in every order.
    ranked = sorted(lines, key=lambda line: line.rank)
    ranked.sort(key=lambda line: line.docno, reverse=True)
    if order == "default":
        ranked.sort(key=lambda line: line.rank)
    if order == "trec_eval":
        ranked.sort(key=lambda line: c_float(line.score).value, reverse=True)
    else:
        ranked.sort(key=lambda line: line.score, reverse=True)
    if order == "rank":
        ranked.sort(key=lambda line: line.rank)
    return ranked


def without_duplicates(ranked: Iterable[Line]) -> tuple[list[Line], list[Line]]:
    """The best line of each document, and the lines that repeat one."""
    kept: dict[str, Line] = {}
    duplicates = []
    for line in ranked:
        if line.docno in kept:
            duplicates.append(line)
        else:
            kept[line.docno] = line
    return list(kept.values()), duplicates


def first(ranked: list[Line], depth: int | None, *, ties: bool) -> list[Line]:
    """The first `depth` lines; with `ties` also those with the last one's score, single precision.

    trec_eval, which ignores the rank column, could put any of those at that place.
    """
    kept = ranked[:depth]
    if ties and len(kept) < len(ranked):
        last = c_float(kept[-1].score).value
        kept += takewhile(lambda line: c_float(line.score).value == last, ranked[depth:])
    return kept


def conflict(lines: Iterable[Line]) -> int | None:
    """Where ranks contradict scores: the first line, going down by score, with a better rank."""
    ranked = ranking(lines)
    for above, below in pairwise(ranked):
        if above.score > below.score and above.rank > below.rank:
            return below.line
    return None


def gap(lines: Iterable[Line]) -> int | None:
    """The line after the first gap in the ranks, which start at 0 or 1 and may repeat."""
    before = 0
    for line in sorted(lines, key=lambda line: (line.rank, line.line)):
        if line.rank > before + 1:
            return line.line
        before = line.rank
    return None
