"""The vector space model: TF-IDF weights of words or of characters, compared by their cosine."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankers.ranker import NOT_RETRIEVED, Ranker, Scorer
from rankers.text import words

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer


def cosine_scorer(texts: Sequence[str], vectorizer: "TfidfVectorizer") -> Scorer:
    """Cosines under a vectorizer that gives vectors of length 1; no common term: not retrieved."""
    passages = vectorizer.fit_transform(texts)

    def score(query: str) -> NDArray[np.float64]:
        cosines = (passages @ vectorizer.transform([query]).T).toarray().ravel()
        return np.where(cosines > 0, cosines, NOT_RETRIEVED)

    return score


def _of_words(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    from sklearn.feature_extraction.text import TfidfVectorizer

    return cosine_scorer(texts, TfidfVectorizer(analyzer=words))


def _of_characters(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    from sklearn.feature_extraction.text import TfidfVectorizer

    vectorizer = TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 5), sublinear_tf=True)
    return cosine_scorer(texts, vectorizer)


TFIDF = Ranker(
    name="TFIDF",
    title="TF-IDF, cosine",
    citation="Salton, Wong & Yang, A Vector Space Model for Automatic Indexing, CACM 1975",
    index=_of_words,
)
#: "nursing" and "nurse" meet without a stemmer.
CHAR_NGRAMS = Ranker(
    name="CHAR",
    title="TF-IDF of character 3- to 5-grams, cosine",
    citation="McNamee & Mayfield, Character N-Gram Tokenization, Information Retrieval 2004",
    index=_of_characters,
)
