"""The fast way from a file to a `Run`; the same run as `metrics.runs.definition` describes."""

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..io.digests import Digest
from ..kernels import ranking
from ..kernels import runs as kernels
from ..vocabulary import ORDERS, Order
from . import definition
from .anomalies import RunAnomalies
from .blocks import BLOCK_SIZE, Block, read_blocks, texts_at
from .run import Run

# Rows of a scattered run that are held before what lies below the depth is let go.
_HELD_AT_MOST = 1 << 23
_ALL = 1 << 62


class _Scattered(Exception):  # noqa: N818 - a turn of the way, not an error
    """Lines of one query stand apart."""


@dataclass(frozen=True, eq=False)
class _Part:
    """Ranked rows of queries; `count[i]` rows of `qids[i]`, query by query."""

    qids: list[str]
    count: NDArray[np.int64]
    docnos: pa.StringArray
    rank: NDArray[np.int64]
    score: NDArray[np.float64]
    line: NDArray[np.int64]


@dataclass(frozen=True, eq=False)
class _Rows:
    """Rows in the order of the file, each with the number of its query."""

    query: NDArray[np.int64]
    docnos: pa.StringArray
    docno_hash: NDArray[np.uint64]
    rank: NDArray[np.int64]
    score: NDArray[np.float64]
    line: NDArray[np.int64]

    def columns(self) -> tuple[NDArray[Any], ...]:
        return self.docno_hash, self.rank, self.score, self.line


class FastReader:
    """Reads one run; see `metrics.runs.reading.read_run` for what it takes."""

    def __init__(
        self,
        path: str | Path,
        *,
        order: Order,
        queries: Collection[str] | None,
        depth: int | None,
        ties: bool = False,
        block_size: int = BLOCK_SIZE,
        held_at_most: int = _HELD_AT_MOST,
    ) -> None:
        self._path, self._order, self._depth = path, order, depth
        # Ranks decide where they come first, not scores.
        self._ties = ties and order != "rank"
        self._queries = None if queries is None else frozenset(queries)
        self._selected = None if queries is None else frozenset(qid.encode() for qid in queries)
        self._block_size, self._held_at_most = block_size, held_at_most
        self._begin()

    def _begin(self) -> None:
        self._digest = Digest()
        self._odd = RunAnomalies()
        self._any_line = False

    def read(self) -> Run:
        """The run, without its name."""
        try:
            parts = list(self._contiguous())
        except _Scattered:
            self._begin()
            parts = [self._gathered()]
        parts = [part for part in parts if part.qids]
        if not parts:
            raise definition.nothing_in(
                self._path, empty=not self._any_line, n_queries=len(self._queries or ())
            )
        part = _sorted_by_query(_joined_parts(parts))
        return Run(
            name="",
            qids=tuple(part.qids),
            offsets=np.concatenate([[0], np.cumsum(part.count)]),
            docnos=part.docnos,
            scores=part.score,
            ranks=part.rank,
            lines=part.line,
            order=self._order,
            path=str(self._path),
            digest=str(self._digest),
            notices=self._odd.notices(str(self._path), self._order),
        )

    def _blocks(self) -> Iterator[Block]:
        update = self._digest.update
        for block in read_blocks(self._path, self._selected, update, self._block_size):
            self._any_line = block.any_line
            yield block

    # -- Lines of a query stand together: each block holds whole queries -----------------------

    def _contiguous(self) -> Iterator[_Part]:
        seen: set[str] = set()
        for block in self._blocks():
            texts = block.qids().to_pylist()
            # In the order of the ids, so that what one block holds needs no sorting afterwards.
            selected = [place for place, qid in enumerate(texts) if self._is_selected(qid)]
            segments = sorted(selected, key=texts.__getitem__)
            qids = [texts[segment] for segment in segments]
            before = len(seen)
            seen.update(qids)
            if len(seen) != before + len(qids):
                raise _Scattered
            bounds = block.first_row[:-1][segments], block.first_row[1:][segments]
            rows = np.arange(block.n_rows)
            part, _ = self._ranked(qids, block.buffer, block.columns(), rows, bounds)
            yield part

    def _is_selected(self, qid: str) -> bool:
        return self._queries is None or qid in self._queries

    # -- Lines of a query stand anywhere: hold all of them, or the best of each query ----------

    def _gathered(self) -> _Part:
        number: dict[str, int] = {}
        held: list[_Rows] = []
        n_held, limit, pruned = 0, self._held_at_most, False
        for block in self._blocks():
            held.append(self._numbered(block, number))
            n_held += len(held[-1].query)
            if self._depth is not None and n_held > limit:
                held, pruned = [self._pruned(_joined_rows(held), list(number))], True
                n_held = len(held[0].query)
                limit = max(self._held_at_most, 2 * n_held)
        part, _ = self._ranked_by_query(_joined_rows(held), list(number))
        if pruned:
            # Once the rest of a list is dropped, gaps in its ranks cannot be detected.
            self._odd.gaps.clear()
        return part

    def _numbered(self, block: Block, number: dict[str, int]) -> _Rows:
        """The selected rows of a block; `number` gets the queries that are new."""
        encoded = block.qids().dictionary_encode()
        numbers = [
            number.setdefault(qid, len(number)) if self._is_selected(qid) else -1
            for qid in encoded.dictionary.to_pylist()
        ]
        of_segment = np.array(numbers, dtype=np.int64)[encoded.indices.to_numpy()]
        query = np.repeat(of_segment, np.diff(block.first_row))
        kept = query >= 0
        columns = [column[kept] for column in block.columns()]
        docnos = texts_at(block.buffer, columns[0], columns[1])
        return _Rows(query[kept], docnos, *columns[2:])

    def _pruned(self, rows: _Rows, qids: list[str]) -> _Rows:
        """The best rows of each query; of the anomalies only the duplicates are certain by now."""
        odd, self._odd = self._odd, RunAnomalies()
        part, kept = self._ranked_by_query(rows, qids)
        odd.duplicates += self._odd.duplicates
        self._odd = odd
        query = np.repeat(np.arange(len(qids)), part.count)
        return _Rows(query, part.docnos, rows.docno_hash[kept], part.rank, part.score, part.line)

    def _ranked_by_query(self, rows: _Rows, qids: list[str]) -> tuple[_Part, NDArray[np.int64]]:
        _, offsets, texts = rows.docnos.buffers()
        bounds = np.frombuffer(offsets, dtype=np.int32)[: len(rows.query) + 1].astype(np.int64)
        columns = (bounds[:-1], np.diff(bounds), *rows.columns())
        stops = np.cumsum(np.bincount(rows.query, minlength=len(qids)))
        starts = np.concatenate([[0], stops[:-1]])
        by_query = np.argsort(rows.query, kind="stable")
        buffer = np.frombuffer(texts, dtype=np.uint8)
        return self._ranked(qids, buffer, columns, by_query, (starts, stops))

    # -- Both ----------------------------------------------------------------------------------

    def _ranked(
        self,
        qids: list[str],
        buffer: NDArray[np.uint8],
        columns: tuple[NDArray[Any], ...],
        rows: NDArray[np.int64],
        bounds: tuple[NDArray[np.int64], NDArray[np.int64]],
    ) -> tuple[_Part, NDArray[np.int64]]:
        """The queries ranked, and which rows they kept; `columns` as `Block.columns` gives them."""
        kept, duplicates = np.empty((2, len(rows)), dtype=np.int64)
        count, conflicts, gaps = np.empty((3, len(qids)), dtype=np.int64)
        n_kept, n_conflicts, n_gaps, n_duplicates = ranking.select(
            ORDERS.index(self._order),
            _ALL if self._depth is None else self._depth, self._ties,
            buffer, *columns, rows, *bounds, kept, count, conflicts, gaps, duplicates,
        )  # fmt: skip
        self._odd.conflicts += conflicts[:n_conflicts].tolist()
        self._odd.gaps += gaps[:n_gaps].tolist()
        self._odd.duplicates += duplicates[:n_duplicates].tolist()
        kept = kept[:n_kept]
        start, length, _, rank, score, line = columns
        docnos = texts_at(buffer, start.take(kept), length.take(kept))
        ranked = (column.take(kept) for column in (rank, score, line))
        return _Part(qids, count, docnos, *ranked), kept


def _joined_rows(parts: list[_Rows]) -> _Rows:
    if len(parts) == 1:
        return parts[0]
    columns = zip(*(part.columns() for part in parts), strict=True)
    return _Rows(
        np.concatenate([part.query for part in parts]),
        pa.concat_arrays([part.docnos for part in parts]),
        *map(np.concatenate, columns),
    )


def _joined_parts(parts: list[_Part]) -> _Part:
    if len(parts) == 1:
        return parts[0]
    return _Part(
        [qid for part in parts for qid in part.qids],
        np.concatenate([part.count for part in parts]),
        pa.concat_arrays([part.docnos for part in parts]),
        np.concatenate([part.rank for part in parts]),
        np.concatenate([part.score for part in parts]),
        np.concatenate([part.line for part in parts]),
    )


def _sorted_by_query(part: _Part) -> _Part:
    """The part with its queries in the order of their ids as text."""
    order = sorted(range(len(part.qids)), key=part.qids.__getitem__)
    if order == list(range(len(order))):
        return part
    count = part.count[order]
    starts = (np.cumsum(part.count) - part.count)[order]
    rows = np.empty(len(part.rank), dtype=np.int64)
    kernels.copy_spans(starts, count, np.arange(len(rows)), rows)
    return _Part(
        [part.qids[place] for place in order],
        count,
        part.docnos.take(rows),
        part.rank[rows],
        part.score[rows],
        part.line[rows],
    )
