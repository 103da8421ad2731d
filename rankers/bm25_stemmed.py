"""BM25 that reads the stems of words, by either stemmer of M. F. Porter."""

from collections.abc import Callable, Sequence
from functools import cache, partial

from rankers.bm25_scoring import bm25_scorer
from rankers.ranker import Ranker, Scorer
from rankers.text import words


def stems(algorithm: str) -> Callable[[str], list[str]]:
    """What makes a list of stems of a text; stop words go before they are cut.

    `algorithm` is `porter` (1980) or `english` (Snowball's, also called Porter 2).

    >>> stems("porter")("the nurses' patients, and hers")
    ['nurs', 'patient', 'her']
    """
    # Slower to load than all other rankers together.
    import snowballstemmer  # noqa: PLC0415

    # A stemmer keeps the word that it works on; the words of a language repeat.
    stem = cache(snowballstemmer.stemmer(algorithm).stemWord)
    return lambda text: [stem(word) for word in words(text)]


def _index(texts: Sequence[str], seed: int, *, algorithm: str) -> Scorer:  # noqa: ARG001 - none
    return bm25_scorer(texts, method="lucene", k1=0.6, b=0.8, read=stems(algorithm))


BM25_PORTER = Ranker(
    name="BM25_PORTER",
    title="BM25 (k1 = 0.6, b = 0.8) of Porter's stems",
    citation="Porter, An algorithm for suffix stripping, Program 14, 1980",
    index=partial(_index, algorithm="porter"),
)
BM25_SNOWBALL = Ranker(
    name="BM25_SNOWBALL",
    title="BM25 (k1 = 0.6, b = 0.8) of Snowball's English stems",
    citation="Porter, Snowball: A language for stemming algorithms, 2001",
    index=partial(_index, algorithm="english"),
)
