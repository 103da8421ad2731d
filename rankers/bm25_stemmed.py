"""BM25 that reads the stems of words, by either stemmer of M. F. Porter."""

from collections.abc import Callable, Sequence
from functools import cache, partial

from rankers.bm25_scoring import K1, B, bm25_scorer
from rankers.ranker import Ranker, Scorer
from rankers.text import words


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


def _index(texts: Sequence[str], seed: int, *, algorithm: str) -> Scorer:  # noqa: ARG001 - none
    return bm25_scorer(texts, method="lucene", k1=K1, b=B, read=stems(algorithm))


BM25_PORTER = Ranker(
    name="BM25_PORTER",
    title=f"BM25 (k1 = {K1:g}, b = {B:g}) of Porter's stems",
    citation="Porter, An algorithm for suffix stripping, Program 14, 1980",
    index=partial(_index, algorithm="porter"),
)
BM25_SNOWBALL = Ranker(
    name="BM25_SNOWBALL",
    title=f"BM25 (k1 = {K1:g}, b = {B:g}) of Snowball's English stems",
    citation="Porter, Snowball: A language for stemming algorithms, 2001",
    index=partial(_index, algorithm="english"),
)
