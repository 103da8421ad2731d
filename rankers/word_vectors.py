"""Word vectors out of a collection itself: PPMI of neighbouring words, reduced by SVD.

Levy, Goldberg and Dagan. *Improving Distributional Similarity with Lessons Learned from Word
Embeddings*, TACL 2015.
"""

import re
from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array
from scipy.sparse.linalg import svds

from metrics.errors import InputError
from metrics.io.files import replacing

_WORD = re.compile(r"\w+")
WINDOW = 5


def word_vectors(
    texts: Iterable[str], dimensions: int, *, min_count: int = 2, window: int = WINDOW
) -> tuple[list[str], NDArray[np.float64]]:
    """The words that occur at least `min_count` times, sorted, and their vectors (n, dimensions).

    PPMI(w, c) = max(0, ln(p(w, c) / (p(w) p(c)))) over words at most `window` places apart; a row
    is that of U sqrt(S) of its truncated SVD, of length 1.
    """
    split = [_WORD.findall(text.lower()) for text in texts]
    counts = Counter(word for words in split for word in words)
    vocabulary = sorted(word for word, n in counts.items() if n >= min_count)
    if len(vocabulary) <= dimensions:
        raise InputError(
            f"{len(vocabulary)} words cannot have {dimensions} dimensions.",
            remedy="Use a larger collection or fewer dimensions.",
        )
    ppmi = _ppmi(split, {word: i for i, word in enumerate(vocabulary)}, window)
    start = np.random.default_rng(0).normal(size=len(vocabulary))
    u, s, _ = svds(ppmi, k=dimensions, v0=start)
    vectors = u * np.sqrt(s)
    lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
    return vocabulary, np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)


def _ppmi(texts: list[list[str]], number_of: dict[str, int], window: int) -> coo_array:
    pairs: Counter[tuple[int, int]] = Counter()
    for words in texts:
        known = [number_of.get(word, -1) for word in words]
        for place, first in enumerate(known):
            for second in known[place + 1 : place + 1 + window]:
                if first >= 0 <= second:
                    pairs[first, second] += 1
                    pairs[second, first] += 1
    places = np.array(list(pairs), dtype=np.int64).reshape(-1, 2).T
    n = np.fromiter(pairs.values(), dtype=np.float64, count=len(pairs))
    totals = np.bincount(places[0], n, minlength=len(number_of))
    values = np.log(n * n.sum() / (totals[places[0]] * totals[places[1]]))
    kept = values > 0
    size = (len(number_of), len(number_of))
    return coo_array((values[kept], (places[0][kept], places[1][kept])), shape=size)


def write_glove(words: list[str], vectors: NDArray[np.float64], path: Path) -> None:
    """Write a word and its numbers on each line, as GloVe's files have them."""
    with replacing(path) as temporary, temporary.open("w", encoding="utf-8", newline="") as file:
        for word, vector in zip(words, vectors, strict=True):
            file.write(f"{word} {' '.join(f'{value:.6f}' for value in vector)}\n")
