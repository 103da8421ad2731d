"""LSA with directions drawn at random instead of learnt: its untrained pair in a table."""

from collections.abc import Sequence

from rankers.dense import DIMENSIONS, dense_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:
    from sklearn.random_projection import GaussianRandomProjection

    return dense_scorer(texts, lambda size: GaussianRandomProjection(size, random_state=seed))


LSA_RANDOM = Ranker(
    name="LSA_RND",
    title=f"LSA with random directions ({DIMENSIONS} dimensions)",
    citation="Bingham & Mannila, Random Projection in Dimensionality Reduction, KDD 2001",
    index=index,
)
