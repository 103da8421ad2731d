"""LSA with directions drawn at random instead of learnt: its untrained pair in a table."""

from collections.abc import Sequence

from sklearn.random_projection import GaussianRandomProjection

from rankers.dense import dense_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:
    return dense_scorer(texts, lambda size: GaussianRandomProjection(size, random_state=seed))


LSA_RANDOM = Ranker(
    name="LSA_RND",
    title="LSA with random directions (100 dimensions)",
    citation="Bingham & Mannila, Random Projection in Dimensionality Reduction, KDD 2001",
    index=index,
)
