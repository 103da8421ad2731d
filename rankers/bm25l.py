"""BM25L: a variant that is kinder to long passages."""

from collections.abc import Sequence

from rankers.bm25_scoring import bm25_scorer
from rankers.ranker import Ranker, Scorer

K1, B, DELTA = 1.5, 0.75, 0.5


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    return bm25_scorer(texts, method="bm25l", k1=K1, b=B, delta=DELTA)


BM25L = Ranker(
    name="BM25L",
    title=f"BM25L (k1 = {K1:g}, b = {B:g}, δ = {DELTA:g})",
    citation="Lv & Zhai, When Documents Are Very Long, BM25 Fails!, SIGIR 2011",
    index=index,
)
