"""Query likelihood: how probable a query is in the language of a passage."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from rankers.ranker import NOT_RETRIEVED, Ranker, Scorer
from rankers.text import words

MU = 1000.0  # words that the collection adds to each passage


def index(texts: Sequence[str], seed: int) -> Scorer:  # noqa: ARG001 - nothing is drawn
    """Log probability of the query under multinomials with a Dirichlet prior of mass `MU`.

    The sum over the words w of the query of log((c(w, d) + MU p(w)) / (|d| + MU)), p being w's
    share of the collection; words that the collection does not have say nothing.
    """
    from sklearn.feature_extraction.text import CountVectorizer

    vectorizer = CountVectorizer(analyzer=words)
    counts = vectorizer.fit_transform(texts).astype(np.float64).tocsc()
    lengths = np.asarray(counts.sum(axis=1)).ravel()
    prior = MU * np.asarray(counts.sum(axis=0)).ravel() / lengths.sum()

    def score(query: str) -> NDArray[np.float64]:
        vocabulary = vectorizer.vocabulary_
        terms = [vocabulary[word] for word in words(query) if word in vocabulary]
        in_passages = counts[:, terms].toarray()
        smoothed = (in_passages + prior[terms]) / (lengths + MU)[:, np.newaxis]
        return np.where(in_passages.any(axis=1), np.log(smoothed).sum(axis=1), NOT_RETRIEVED)

    return score


DIRICHLET = Ranker(
    name="QLD",
    title=f"Query likelihood, Dirichlet smoothing (μ = {MU:g})",
    citation="Zhai & Lafferty, A Study of Smoothing Methods for Language Models, TOIS 2004",
    index=index,
)
