"""BM25 with the parameters of the study that this project makes repeatable."""

from collections.abc import Sequence

from rankers.bm25_scoring import K1, B, bm25_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    return bm25_scorer(texts, method="lucene", k1=K1, b=B)


BM25 = Ranker(
    name="BM25",
    title=f"BM25 (k1 = {K1:g}, b = {B:g})",
    citation="Robertson & Zaragoza, The Probabilistic Relevance Framework, 2009",
    index=index,
)
