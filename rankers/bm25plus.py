"""BM25+: every word of the query that occurs at all counts at least `delta`."""

from collections.abc import Sequence

from rankers.bm25_scoring import bm25_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    return bm25_scorer(texts, method="bm25+", k1=1.5, b=0.75, delta=1.0)


BM25PLUS = Ranker(
    name="BM25PLUS",
    title="BM25+ (k1 = 1.5, b = 0.75, δ = 1)",
    citation="Lv & Zhai, Lower-Bounding Term Frequency Normalization, CIKM 2011",
    index=index,
)
