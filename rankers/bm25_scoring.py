"""The BM25 family by bm25s, with one rule for what is retrieved."""

import logging
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankers.ranker import NOT_RETRIEVED, Scorer
from rankers.text import words

if TYPE_CHECKING:
    import bm25s

#: The parameters of the study that this project makes repeatable.
K1, B = 0.6, 0.8


def bm25_scorer(
    texts: Sequence[str],
    *,
    method: str,
    k1: float,
    b: float,
    delta: float = 0.5,
    read: Callable[[str], list[str]] = words,
) -> Scorer:
    """Scores of a variant (`method` as bm25s names it) for passages that share a query word.

    `read` makes the words of passages and queries.
    """
    import bm25s

    # bm25s turns on its debugging lines when it is imported.
    logging.getLogger("bm25s").setLevel(logging.WARNING)
    model = bm25s.BM25(method=method, k1=k1, b=b, delta=delta, dtype="float64")
    model.index([read(text) for text in texts], show_progress=False)
    _give_delta_only_to_words_that_occur(model)

    def score(query: str) -> NDArray[np.float64]:
        known = model.get_tokens_ids(read(query))
        if not known:
            return np.full(len(texts), NOT_RETRIEVED)
        scores: NDArray[np.float64] = model.get_scores_from_ids(known)
        return np.where(scores > 0, scores, NOT_RETRIEVED)

    return score


def _give_delta_only_to_words_that_occur(model: "bm25s.BM25") -> None:
    """Undo what bm25s adds for query words that a passage lacks.

    Lv & Zhai sum over the words that a passage shares with the query. bm25s grants the `delta` of
    BM25L and BM25+ for the others too, and then the bonus no longer tells passages apart.
    """
    if model.nonoccurrence_array is not None:
        index = model.scores
        index["data"] += np.repeat(model.nonoccurrence_array, np.diff(index["indptr"]))
        model.nonoccurrence_array = None
