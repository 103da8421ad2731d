"""The way from a file to a `Run` without compiled kernels: its lines are split as a whole.

The same run as `metrics.runs.definition` describes. A file with anything but usual lines is read
there; so is a query whose lines are not in ranked order, or repeat a document.
"""

from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from pathlib import Path
from typing import BinaryIO, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..io.digests import digest_of
from ..io.lines import MAX_RECORD, open_text
from ..io.strings import strings
from ..vocabulary import Order
from . import definition
from .anomalies import RunAnomalies
from .run import Run
from .sorting import single

_AT_ONCE = 1 << 22
_COLUMNS = 6
_LONGEST_RANK = 18
_OF_SCORES = b"0123456789+-.eE"
_BLANK = ord(" ")
_Ints = NDArray[np.int64]


class _Unusual(Exception):  # noqa: N818 - a turn of the way, not an error
    """The file has a line that the definition has to judge."""


class _Rows(NamedTuple):
    """Lines of the selected queries in the order of the file."""

    qids: list[bytes]
    docnos: list[bytes]
    ranks: _Ints
    scores: NDArray[np.float64]
    lines: _Ints


def read_by_columns(
    path: str | Path,
    *,
    order: Order,
    queries: Collection[str] | None,
    depth: int | None,
    ties: bool,
) -> Run | None:
    """The run of a file, as `read_by_definition`; None where that has to read it."""
    selected = None if queries is None else {qid.encode() for qid in queries}
    try:
        with open_text(path) as stream:
            rows = _joined([_rows(*block, selected) for block in _blocks(stream)])
    except _Unusual:
        return None
    if not rows.qids:
        return None
    return _Ranking(rows).run(path, order, depth, ties=ties and order != "rank")


def _blocks(stream: BinaryIO) -> Iterator[tuple[bytes, int]]:
    """Whole lines, some millions of bytes at a time, with the number of the first."""
    rest, number = b"", 1
    while more := stream.read(_AT_ONCE):
        whole, newline, rest = (rest + more).rpartition(b"\n")
        if len(rest) > MAX_RECORD:
            raise _Unusual
        if newline:
            yield whole + newline, number
            number += whole.count(b"\n") + 1
    yield rest + b"\n", number


def _rows(block: bytes, number: int, selected: set[bytes] | None) -> _Rows:
    _check_characters(block)
    characters = np.frombuffer(block, dtype=np.uint8)
    is_blank = characters <= _BLANK
    begins = ~is_blank
    begins[1:] &= is_blank[:-1]
    ends = np.flatnonzero(characters == ord("\n"))
    n_fields = np.add.reduceat(begins, np.append(0, ends[:-1] + 1), dtype=np.int64)
    is_empty = n_fields == 0
    longest = np.diff(ends, prepend=-1).max()
    if not ((n_fields == _COLUMNS) | is_empty).all() or longest > MAX_RECORD:
        raise _Unusual
    fields = block.split()
    ranks, scores = fields[3::_COLUMNS], fields[4::_COLUMNS]
    rows = _Rows(
        fields[::_COLUMNS],
        fields[2::_COLUMNS],
        _whole_numbers(ranks),
        _decimals(scores),
        np.flatnonzero(~is_empty) + number,
    )
    if selected is None or selected.issuperset(set(rows.qids)):
        return rows
    kept = [row for row, qid in enumerate(rows.qids) if qid in selected]
    texts = ([column[row] for row in kept] for column in rows[:2])
    numbers = (column[kept] for column in rows[2:])
    return _Rows(*texts, *numbers)  # type: ignore[arg-type] # two lists, three arrays


def _check_characters(block: bytes) -> None:
    """Raise `_Unusual` for bytes that are not text, and for blanks that separate nothing."""
    characters = np.frombuffer(block, dtype=np.uint8)
    n_known = sum(map(block.count, (b"\n", b"\t", b"\r\n")))
    if np.count_nonzero(characters < _BLANK) != n_known:
        raise _Unusual
    if block.isascii():
        return
    if definition.BYTE_ORDER_MARK in block:
        raise _Unusual
    try:
        block.decode()
    except UnicodeDecodeError:
        raise _Unusual from None


def _whole_numbers(fields: Sequence[bytes]) -> _Ints:
    if fields and not (b"".join(fields).isdigit() and max(map(len, fields)) <= _LONGEST_RANK):
        raise _Unusual
    return np.array(list(map(int, fields)), dtype=np.int64)


def _decimals(fields: Sequence[bytes]) -> NDArray[np.float64]:
    # Python reads more as a number than a run may have: 1_000, nan.
    if b"".join(fields).translate(None, _OF_SCORES):
        raise _Unusual
    try:
        numbers = np.array(list(map(float, fields)), dtype=np.float64)
    except ValueError:
        raise _Unusual from None
    if not np.isfinite(numbers).all():
        raise _Unusual
    return numbers


def _joined(parts: Sequence[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    qids, docnos, *numbers = zip(*parts, strict=True)
    return _Rows(
        [qid for part in qids for qid in part],
        [docno for part in docnos for docno in part],
        *(np.concatenate(column) for column in numbers),
    )


class _Ranking:
    """The rows of a file, query by query, and those of them that are ranked."""

    def __init__(self, rows: _Rows) -> None:
        seen: dict[bytes, int] = {}
        codes = [seen.setdefault(qid, len(seen)) for qid in rows.qids]
        # UTF-8 is sorted as the texts are.
        self._names = sorted(seen)
        new = np.empty(len(seen), dtype=np.int64)
        new[[seen[name] for name in self._names]] = np.arange(len(seen))
        self._query = new[codes]
        if (self._query[1:] < self._query[:-1]).any():
            by_query = np.argsort(self._query, kind="stable")
            self._query = self._query[by_query]
            docnos = [rows.docnos[row] for row in by_query.tolist()]
            rows = _Rows([], docnos, *(column[by_query] for column in rows[2:]))  # type: ignore[arg-type]
        self._rows = rows
        counts = np.bincount(self._query, minlength=len(seen))
        self._stops = np.cumsum(counts)
        self._starts = self._stops - counts
        self._odd = RunAnomalies()

    def run(self, path: str | Path, order: Order, depth: int | None, *, ties: bool) -> Run:
        """The run, without its name."""
        rows = self._rows
        place = self._places(order, depth, ties=ties)
        kept = np.flatnonzero(place >= 0)
        kept = kept[np.lexsort((place[kept], self._query[kept]))]
        counts = np.bincount(self._query[kept], minlength=len(self._names))
        return Run(
            name="",
            qids=tuple(name.decode() for name in self._names),
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            docnos=strings(rows.docnos[row].decode() for row in kept.tolist()),
            scores=rows.scores[kept],
            ranks=rows.ranks[kept],
            lines=rows.lines[kept],
            order=order,
            path=str(path),
            digest=digest_of(path),
            notices=self._odd.notices(str(path), order),
        )

    def _places(self, order: Order, depth: int | None, *, ties: bool) -> _Ints:
        """The place of each row among the documents of its query, -1 for one that is left out."""
        place = np.arange(len(self._query)) - self._starts[self._query]
        if depth is not None:
            left_out = place >= depth
            if ties:
                scores = single(self._rows.scores)
                last = np.minimum(self._starts + depth, self._stops) - 1
                left_out &= scores != scores[last][self._query]
            place[left_out] = -1
        for query in self._unusual(order).tolist():
            start, stop = int(self._starts[query]), int(self._stops[query])
            lines = [self._line(row) for row in range(start, stop)]
            self._odd.conflicts += filter(None, [definition.conflict(lines)])
            self._odd.gaps += filter(None, [definition.gap(lines)])
            kept, duplicates = definition.without_duplicates(definition.ranking(lines, order))
            self._odd.duplicates += (line.line for line in duplicates)
            row_of = {line.line: start + at for at, line in enumerate(lines)}
            place[start:stop] = -1
            for at, line in enumerate(definition.first(kept, depth, ties=ties)):
                place[row_of[line.line]] = at
        return place

    def _unusual(self, order: Order) -> _Ints:
        """The queries with rows out of order, a gap in their ranks, or a document twice."""
        ranks, scores = self._rows.ranks, self._rows.scores
        step = ranks[1:] - ranks[:-1]
        falls, stays = scores[1:] < scores[:-1], scores[1:] == scores[:-1]
        usual = (step >= 0) & (step <= 1) & (falls | (stays & (step > 0)))
        if order == "trec_eval":
            as_compared = single(scores)
            usual &= as_compared[1:] != as_compared[:-1]
        same = self._query[1:] == self._query[:-1]
        is_odd = ranks[self._starts] > 1
        is_odd[self._query[1:][same & ~usual]] = True
        docnos = self._rows.docnos
        stops = pairwise([0, *self._stops.tolist()])
        is_odd |= [len(set(docnos[start:stop])) < stop - start for start, stop in stops]
        return np.flatnonzero(is_odd)

    def _line(self, row: int) -> definition.Line:
        rows = self._rows
        return definition.Line(
            rows.docnos[row].decode(),
            int(rows.ranks[row]),
            float(rows.scores[row]),
            int(rows.lines[row]),
        )
