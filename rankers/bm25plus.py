"""BM25+: every word of the query that occurs at all counts at least `delta`."""

from collections.abc import Sequence

from rankers.bm25_scoring import bm25_scorer
from rankers.ranker import Ranker, Scorer

K1, B, DELTA = 1.5, 0.75, 1.0


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    return bm25_scorer(texts, method="bm25+", k1=K1, b=B, delta=DELTA)


BM25PLUS = Ranker(
    name="BM25PLUS",
    title=f"BM25+ (k1 = {K1:g}, b = {B:g}, δ = {DELTA:g})",
    citation="Lv & Zhai, Lower-Bounding Term Frequency Normalization, CIKM 2011",
    index=index,
)
