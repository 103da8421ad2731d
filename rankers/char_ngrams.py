"""TF-IDF of character n-grams: "nursing" and "nurse" meet without a stemmer."""

from collections.abc import Sequence

from rankers.cosine import cosine_scorer
from rankers.ranker import Ranker, Scorer


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return cosine_scorer(texts, vectorizer)


CHAR_NGRAMS = Ranker(
    name="CHAR",
    title="TF-IDF of character 3- to 5-grams, cosine",
    citation="McNamee & Mayfield, Character N-Gram Tokenization, Information Retrieval 2004",
    index=index,
)
