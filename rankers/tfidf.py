"""The vector space model: TF-IDF weights of words, compared by their cosine."""

from collections.abc import Sequence

from rankers.cosine import cosine_scorer
from rankers.ranker import Ranker, Scorer
from rankers.text import words


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    from sklearn.feature_extraction.text import TfidfVectorizer

    return cosine_scorer(texts, TfidfVectorizer(analyzer=words))


TFIDF = Ranker(
    name="TFIDF",
    title="TF-IDF, cosine",
    citation="Salton, Wong & Yang, A Vector Space Model for Automatic Indexing, CACM 1975",
    index=index,
)
