"""BM25L: a variant that is kinder to long passages."""

from collections.abc import Sequence

from rankers.bm25_scoring import bm25_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    return bm25_scorer(texts, method="bm25l", k1=1.5, b=0.75, delta=0.5)


BM25L = Ranker(
    name="BM25L",
    title="BM25L (k1 = 1.5, b = 0.75, δ = 0.5)",
    citation="Lv & Zhai, When Documents Are Very Long, BM25 Fails!, SIGIR 2011",
    index=index,
)
