"""Documents of queries that are in memory, checked and brought into ranked order.

Columns are worked on as a whole, a block of queries at a time: a call for each document would take
ten times as long. What is odd is looked at one by one, for the error that names it. Where only the
first ranks are asked for, only those that could stand there are sorted.
"""

from collections.abc import Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError
from ..vocabulary import ORDERS, Order
from .values import id_texts, rank_numbers, score_numbers

_Ints = NDArray[np.int64]
_Floats = NDArray[np.float64]

#: A run with longer lists than others is sorted whole once a table of its lists would be this full.
_FULL_ENOUGH = 4


class Columns(NamedTuple):
    """Ranked documents of queries, as `Run` holds them."""

    qids: tuple[str, ...]
    offsets: _Ints
    docnos: list[str]
    scores: _Floats
    ranks: _Ints
    lines: _Ints


class First(NamedTuple):
    """Share of each ranking that is kept: `depth` documents (None: all).

    With `ties` also those whose score, in single precision, is that of the last one, as trec_eval
    may rank any of them there.
    """

    depth: int | None = None
    ties: bool = False


WHOLE = First()


class Block(NamedTuple):
    """Documents of whole queries: `counts[i]` of the query `qids[i]`, query by query.

    `rows` are their places in what the caller gave, from 0.
    """

    qids: Sequence[str]
    counts: _Ints
    docnos: list[str]
    scores: _Floats
    ranks: _Ints | None
    rows: _Ints

    def ranked(self, order: Order, first: First = WHOLE) -> Columns:
        """The documents in ranked order, and where there are no ranks, those of the order."""
        query = np.repeat(np.arange(len(self.qids)), self.counts)
        chosen = self._candidates(query, order, first)
        chosen = self._in_order(query, chosen, order)
        query = query[chosen]
        counts = np.bincount(query, minlength=len(self.qids))
        place = np.arange(len(chosen)) - np.repeat(np.cumsum(counts) - counts, counts)
        if first.depth is not None:
            ties = first.ties and order != "rank"
            kept = self._kept(chosen, place, counts, first.depth, ties=ties)
            chosen, place, query = chosen[kept], place[kept], query[kept]
            counts = np.bincount(query, minlength=len(self.qids))
        docnos = self.docnos
        return Columns(
            qids=tuple(self.qids),
            offsets=np.concatenate([[0], np.cumsum(counts)]),
            docnos=[docnos[row] for row in chosen.tolist()],
            scores=self.scores[chosen],
            ranks=place + 1 if self.ranks is None else self.ranks[chosen],
            lines=self.rows[chosen] + 1,
        )

    def contradictions(self) -> list[int]:
        """A row, counted from 1, for each query whose ranks contradict its scores.

        It is the first, going down by score, whose rank is better than that of the one before.
        """
        if self.ranks is None:
            return []
        query = np.repeat(np.arange(len(self.qids)), self.counts)
        place = np.lexsort((self.ranks, -self.scores, query))
        of, ranks, scores = query[place], self.ranks[place], self.scores[place]
        same, falls = of[1:] == of[:-1], scores[1:] < scores[:-1]
        odd = 1 + np.flatnonzero(same & falls & (ranks[1:] < ranks[:-1]))
        _queries, first = np.unique(of[odd], return_index=True)
        rows: list[int] = (self.rows[place[odd[first]]] + 1).tolist()
        return rows

    def _candidates(self, query: _Ints, order: Order, first: First) -> _Ints:
        """The documents that could be among the first, by their scores; all where ranks decide."""
        n, longest = len(self.scores), int(self.counts.max(initial=0))
        by_rank = order == "rank" and self.ranks is not None
        too_ragged = len(self.counts) * longest > _FULL_ENOUGH * n
        if first.depth is None or first.depth >= longest or by_rank or too_ragged:
            return np.arange(n)
        scores = single(self.scores)
        if len(self.counts) * longest == n:
            lists = scores.reshape(-1, longest)
        else:
            lists = np.full((len(self.counts), longest), -np.inf, dtype=np.float32)
            lists[np.arange(longest) < self.counts[:, None]] = scores
        at = longest - first.depth
        least = np.partition(lists, at, axis=1)[:, at]
        return np.flatnonzero(scores >= least[query])

    def _in_order(self, query: _Ints, chosen: _Ints, order: Order) -> _Ints:
        """The chosen documents, query by query, from best to worst."""
        keys = self._keys(chosen, order)
        query = query[chosen]
        same = query[1:] == query[:-1]
        if len(keys) > 1 or (same & (keys[0][1:] < keys[0][:-1])).any():
            place = np.lexsort((*reversed(keys), query))
            chosen, keys = chosen[place], [key[place] for key in keys]
        for key in keys:
            same &= key[1:] == key[:-1]
        tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
        if not len(tied):
            return chosen
        # Equal ones stand by docno, descending. They stay in the places that they have together.
        docnos = self.docnos
        by_docno = sorted(chosen[tied].tolist(), key=docnos.__getitem__, reverse=True)
        new = np.zeros(len(docnos), dtype=np.int64)
        new[by_docno] = np.arange(len(by_docno))
        groups = np.cumsum(~np.append(False, same))[tied]
        chosen[tied] = chosen[tied][np.lexsort((new[chosen[tied]], groups))]
        return chosen

    def _keys(self, chosen: _Ints, order: Order) -> list[NDArray[Any]]:
        scores = self.scores[chosen]
        by_score = -single(scores) if order == "trec_eval" else -scores
        if self.ranks is None or order == "trec_eval":
            return [by_score]
        ranks = self.ranks[chosen]
        return [ranks, by_score] if order == "rank" else [by_score, ranks]

    def _kept(
        self, chosen: _Ints, place: _Ints, counts: _Ints, depth: int, *, ties: bool
    ) -> NDArray[np.bool_]:
        kept = place < depth
        if ties and not kept.all():
            scores = single(self.scores[chosen])
            last = np.cumsum(counts) - counts + np.minimum(depth, counts) - 1
            kept |= scores == np.repeat(scores[np.maximum(last, 0)], counts)
        return kept


def joined(parts: Sequence[Columns]) -> Columns:
    """The columns of several parts as one; each has queries of its own, those of a later one after.

    Raises `InputError` where there are no documents.
    """
    if not parts:
        raise InputError("the run is empty.", remedy="Give it at least one document.")
    if len(parts) == 1:
        return parts[0]
    lengths = np.concatenate([np.diff(part.offsets) for part in parts])
    return Columns(
        qids=tuple(qid for part in parts for qid in part.qids),
        offsets=np.concatenate([[0], np.cumsum(lengths)]),
        docnos=[docno for part in parts for docno in part.docnos],
        scores=np.concatenate([part.scores for part in parts]),
        ranks=np.concatenate([part.ranks for part in parts]),
        lines=np.concatenate([part.lines for part in parts]),
    )


def block_of_rows(
    qids: Sequence[object],
    docnos: Sequence[object],
    scores: Sequence[Any],
    ranks: Sequence[Any] | None = None,
) -> Block:
    """Rows of any order as a block, by query; row i of an error counts from 1."""
    texts, documents = id_texts(list(qids), "query"), id_texts(list(docnos), "document")
    numbers, places = score_numbers(scores), None if ranks is None else rank_numbers(ranks)
    seen: dict[str, int] = {}
    codes = np.array([seen.setdefault(text, len(seen)) for text in texts], dtype=np.int64)
    names = sorted(seen)
    new = np.empty(len(names), dtype=np.int64)
    new[[seen[name] for name in names]] = np.arange(len(names))
    query = new[codes]
    rows = np.argsort(query, kind="stable")
    block = Block(
        names,
        np.bincount(query, minlength=len(names)),
        [documents[row] for row in rows.tolist()],
        numbers[rows],
        None if places is None else places[rows],
        rows,
    )
    check_distinct(block)
    return block


def check_rules(order: str, depth: int | None) -> None:
    """`InputError` for an order that there is not, and a depth that leaves nothing."""
    if order not in ORDERS:
        raise InputError(f"unknown order {order!r}.", remedy=f"Use {', '.join(ORDERS)}.")
    if depth is not None and not isinstance(depth, int | np.integer):
        raise InputTypeError(f"the depth is {depth!r}.", remedy="Give a whole number: depth=10.")
    if depth is not None and depth < 1:
        raise InputError(f"the depth is {depth}.", remedy="Use 1 or more.")


def check_distinct(block: Block) -> None:
    """`InputError` for a document that a query has twice."""
    stops = np.cumsum(block.counts).tolist()
    for qid, (start, stop) in zip(block.qids, pairwise([0, *stops]), strict=True):
        documents = block.docnos[start:stop]
        if len(set(documents)) < len(documents):
            places: dict[str, int] = {}
            again = next(
                row for row, docno in enumerate(documents) if places.setdefault(docno, row) != row
            )
            raise InputError(
                f"row {block.rows[start + again] + 1}: query {qid} has the document "
                f"{documents[again]} twice.",
                remedy="Keep one score of each document, and name the column of systems run.",
            )


def single(scores: _Floats) -> NDArray[np.float32]:
    """In single precision, as trec_eval compares them."""
    with np.errstate(over="ignore"):
        return scores.astype(np.float32)
