"""BM25, its variants and its stemmed forms by bm25s, with one rule for what is retrieved."""

import logging
from collections.abc import Callable, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankers.ranker import NOT_RETRIEVED, Ranker, Scorer
from rankers.text import words

if TYPE_CHECKING:
    import bm25s

#: The parameters of the study that this project makes repeatable.
K1, B = 0.6, 0.8


def bm25_scorer(
    texts: Sequence[str],
    seed: int,  # noqa: ARG001 - nothing is drawn
    *,
    method: str,
    k1: float = K1,
    b: float = B,
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


def stems(algorithm: str) -> Callable[[str], list[str]]:
    """Function from a text to its stems; stop words are dropped before stemming.

    `algorithm` is `porter` (1980) or `english` (Snowball's, also called Porter 2).

    >>> stems("porter")("the nurses' patients, and hers")
    ['nurs', 'patient', 'her']
    """
    import snowballstemmer

    # A stemmer keeps the word that it works on; the words of a language repeat.
    stem = cache(snowballstemmer.stemmer(algorithm).stemWord)
    return lambda text: [stem(word) for word in words(text)]


def _of_stems(texts: Sequence[str], seed: int, *, algorithm: str) -> Scorer:
    return bm25_scorer(texts, seed, method="lucene", read=stems(algorithm))


BM25 = Ranker(
    name="BM25",
    title=f"BM25 (k1 = {K1:g}, b = {B:g})",
    citation="Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009",
    index=partial(bm25_scorer, method="lucene"),
)
#: A variant that is kinder to long passages.
BM25L = Ranker(
    name="BM25L",
    title="BM25L (k1 = 1.5, b = 0.75, δ = 0.5)",
    citation="Lv & Zhai, When Documents Are Very Long, BM25 Fails!, SIGIR 2011",
    index=partial(bm25_scorer, method="bm25l", k1=1.5, b=0.75, delta=0.5),
)
#: Every word of the query that occurs at all counts at least `delta`.
BM25PLUS = Ranker(
    name="BM25PLUS",
    title="BM25+ (k1 = 1.5, b = 0.75, δ = 1)",
    citation="Lv & Zhai, Lower-Bounding Term Frequency Normalization, CIKM 2011",
    index=partial(bm25_scorer, method="bm25+", k1=1.5, b=0.75, delta=1.0),
)
BM25_PORTER = Ranker(
    name="BM25_PORTER",
    title=f"BM25 (k1 = {K1:g}, b = {B:g}) of Porter's stems",
    citation="Porter, An algorithm for suffix stripping, Program 14, 1980",
    index=partial(_of_stems, algorithm="porter"),
)
BM25_SNOWBALL = Ranker(
    name="BM25_SNOWBALL",
    title=f"BM25 (k1 = {K1:g}, b = {B:g}) of Snowball's English stems",
    citation="Porter, Snowball: A language for stemming algorithms, 2001",
    index=partial(_of_stems, algorithm="english"),
)
