"""Scoring a part of a collection: the documents that somebody names, as those of some runs."""

from collections.abc import Iterable
from dataclasses import replace
from importlib import import_module

import numpy as np
from numpy.typing import NDArray

from ...io.strings import Strings
from ..duplicates import DIGEST_SIZE
from ..magnitude import Scores
from .docnos import digests_of
from .reading import PADDING, Workspace
from .scored import ScoreBlock, Scored

_SLOTS_PER_DOCNO = 8  # of the filter: one document in so many that nobody named passes it
_MOST_BITS = 26


class Selection:
    """The documents to score, of a collection that has more.

    `origin` names what they were selected by, for the metadata of the result; `others` are other
    spellings of documents that are named.
    """

    def __init__(
        self, columns: Iterable[Strings], origin: str, others: Iterable[Strings] = ()
    ) -> None:
        self.origin = origin
        named = _all_pairs(columns)
        self._n_named = len(named)
        self._pairs = pairs = _sorted_pairs(np.concatenate([named, *map(_pairs_of, others)]))
        bits = min(_MOST_BITS, (_SLOTS_PER_DOCNO * len(pairs)).bit_length())
        self._shift = np.uint64(64 - bits)
        # Most documents are told from those that are named by one look into a small table.
        self._filter = np.zeros(1 << bits, dtype=np.bool_)
        self._filter[pairs[:, 0] >> self._shift] = True

    def __len__(self) -> int:
        """The number of documents that are named."""
        return self._n_named

    def rows(self, digests: bytes | memoryview) -> NDArray[np.int64]:
        """The places of selected documents among those of `digests`, see `Scored`."""
        pairs = np.frombuffer(digests, dtype=np.uint64).reshape(-1, 2)
        rows = np.flatnonzero(self._filter[pairs[:, 0] >> self._shift])
        nearest = np.searchsorted(self._pairs[:, 0], pairs[rows, 0])
        known = self._pairs[np.minimum(nearest, len(self._pairs) - 1)]
        selected: NDArray[np.int64] = rows[(known == pairs[rows]).all(axis=1)]
        return selected


def _all_pairs(columns: Iterable[Strings]) -> NDArray[np.uint64]:
    return _sorted_pairs(np.concatenate([_sorted_pairs(_pairs_of(docnos)) for docnos in columns]))


def _pairs_of(docnos: Strings) -> NDArray[np.uint64]:
    """The two halves of each docno's digest (N, 2)."""
    if isinstance(docnos, np.ndarray):
        docnos = import_module("...io.columns", __package__).string_column(docnos)
    return np.frombuffer(digests_of(docnos).digests, dtype=np.uint64).reshape(-1, 2)


def _sorted_pairs(pairs: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Sorted by their first half, each once."""
    pairs = pairs[np.argsort(pairs[:, 0])]
    is_new = np.ones(len(pairs), dtype=np.bool_)
    is_new[1:] = (pairs[1:] != pairs[:-1]).any(axis=1)
    return pairs[is_new]


def score_selected(score: ScoreBlock, selection: Selection) -> ScoreBlock:
    """Score all passages of a block, and keep those that are selected."""

    def score_and_select(workspace: Workspace) -> Scored:
        scored = score(workspace)
        rows, scores = selection.rows(scored.digests), scored.scores
        return replace(
            scored,
            docnos=scored.docnos.take(rows),
            scores=Scores(
                n_tokens=scores.n_tokens[rows],
                tc={group: counts[rows] for group, counts in scores.tc.items()},
                tf={group: sums[rows] for group, sums in scores.tf.items()},
            ),
        )

    return score_and_select


def score_selected_lines(score: ScoreBlock, selection: Selection) -> ScoreBlock:
    """Score only the lines of TSV that are selected; of the others the docno alone is checked.

    Needs the compiled kernels.
    """
    split_docnos = import_module(".fast", __package__).split_docnos
    rows_of = import_module("...io.columns", __package__).chosen_spans

    def select_and_score(workspace: Workspace) -> Scored:
        lines = split_docnos(workspace)
        rows = selection.rows(lines.digests)
        part = Workspace()
        part.buffer, part.size = rows_of(workspace.buffer, lines.ends, rows, PADDING)
        scored = score(part)
        bad_line, digests, ascending = lines.bad_line, lines.digests, lines.ascending
        if scored.bad_line is not None:
            n_good = int(rows[len(scored.docnos)])
            bad_line, digests = scored.bad_line, digests[: n_good * DIGEST_SIZE]
            ascending = (-1, -1)
        return replace(scored, digests=digests, ascending=ascending, bad_line=bad_line)

    return select_and_score
