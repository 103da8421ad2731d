"""Cosine between sparse vectors of passages and queries."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from rankers.ranker import NOT_RETRIEVED, Scorer

if TYPE_CHECKING:
    from sklearn.feature_extraction.text import TfidfVectorizer


def cosine_scorer(texts: Sequence[str], vectorizer: "TfidfVectorizer") -> Scorer:
    """Cosines under a vectorizer that gives vectors of length 1; no common term: not retrieved."""
    passages = vectorizer.fit_transform(texts)

    def score(query: str) -> NDArray[np.float64]:
        cosines = (passages @ vectorizer.transform([query]).T).toarray().ravel()
        return np.where(cosines > 0, cosines, NOT_RETRIEVED)

    return score
