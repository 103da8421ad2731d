"""Latent semantic analysis: passages meet queries in the space of the largest singular vectors."""

from collections.abc import Sequence

from rankers.dense import DIMENSIONS, dense_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:
    from sklearn.decomposition import TruncatedSVD

    return dense_scorer(texts, lambda size: TruncatedSVD(size, n_iter=7, random_state=seed))


LSA = Ranker(
    name="LSA",
    title=f"Latent semantic analysis ({DIMENSIONS} dimensions)",
    citation="Deerwester et al., Indexing by Latent Semantic Analysis, JASIS 1990",
    index=index,
)
