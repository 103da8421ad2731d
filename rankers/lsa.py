"""Latent semantic analysis: the cosine between dense vectors that are made of TF-IDF vectors."""

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from rankers.ranker import NOT_RETRIEVED, Ranker, Scorer
from rankers.text import words

DIMENSIONS = 100


class Transformer(Protocol):
    """Both methods map a sparse matrix (n, terms) to a dense one (n, dimensions)."""

    def fit_transform(self, vectors: object) -> NDArray[np.float64]: ...

    def transform(self, vectors: object) -> NDArray[np.float64]: ...


def dense_scorer(texts: Sequence[str], transformer_of: Callable[[int], Transformer]) -> Scorer:
    """Cosines with every passage; a query without a known word retrieves nothing.

    `transformer_of` is called with the number of dimensions: `DIMENSIONS`, or the size of the
    vocabulary where that is smaller.
    """
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    vectorizer = TfidfVectorizer(analyzer=words, sublinear_tf=True)
    sparse_passages = vectorizer.fit_transform(texts)
    transformer = transformer_of(min(DIMENSIONS, sparse_passages.shape[1]))
    passages = normalize(transformer.fit_transform(sparse_passages))

    def score(query: str) -> NDArray[np.float64]:
        sparse = vectorizer.transform([query])
        if sparse.nnz == 0:
            return np.full(len(texts), NOT_RETRIEVED)
        cosines: NDArray[np.float64] = passages @ normalize(transformer.transform(sparse)).ravel()
        return cosines

    return score


def _learnt(texts: Sequence[str], seed: int) -> Scorer:
    from sklearn.decomposition import TruncatedSVD

    return dense_scorer(texts, lambda size: TruncatedSVD(size, n_iter=7, random_state=seed))


def _random(texts: Sequence[str], seed: int) -> Scorer:
    from sklearn.random_projection import GaussianRandomProjection

    return dense_scorer(texts, lambda size: GaussianRandomProjection(size, random_state=seed))


#: Passages meet queries in the space of the largest singular vectors.
LSA = Ranker(
    name="LSA",
    title=f"Latent semantic analysis ({DIMENSIONS} dimensions)",
    citation="Deerwester et al., Indexing by Latent Semantic Analysis, JASIS 1990",
    index=_learnt,
)
#: With directions drawn at random instead of learnt: the untrained pair of LSA in a table.
LSA_RANDOM = Ranker(
    name="LSA_RND",
    title=f"LSA with random directions ({DIMENSIONS} dimensions)",
    citation="Bingham & Mannila, Random Projection in Dimensionality Reduction, KDD 2001",
    index=_random,
)
