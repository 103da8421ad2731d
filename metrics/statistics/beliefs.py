"""A model's belief for each query, learned in seconds from the labels at hand."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..extras import need

_DIMENSIONS = 120
_RIDGE = 0.3
_FOLDS = 5


def text_features(texts: list[str]) -> NDArray[np.float64]:
    """Words, pairs of words and pieces of words of each text, in at most 120 dimensions."""
    text, decomposition = need("sklearn.feature_extraction.text"), need("sklearn.decomposition")
    words = text.TfidfVectorizer(ngram_range=(1, 2), sublinear_tf=True)
    pieces = text.TfidfVectorizer(analyzer="char_wb", ngram_range=(3, 4), sublinear_tf=True)
    counts = need("scipy.sparse").hstack([words.fit_transform(texts), pieces.fit_transform(texts)])
    dimensions = min(_DIMENSIONS, min(counts.shape) - 1)
    features: NDArray[np.float64] = decomposition.TruncatedSVD(
        dimensions, random_state=0
    ).fit_transform(counts)
    return features


def cross_fitted_beliefs(
    features: NDArray[np.float64], rows: ArrayLike, outcomes: ArrayLike, *, seed: int = 0
) -> NDArray[np.float64]:
    """Each query's belief, from 0 to 1, to belong to the subset, by a ridge regression.

    `features` (M x k); `rows` (n): the labelled queries; `outcomes` (n): 1 where people put them
    into the subset, else 0. A labelled query's belief comes from the fold of labels that it is not
    in, any other's is the mean of all folds': so no belief knows its own label.
    """
    labelled, z = np.asarray(rows, np.int64), np.asarray(outcomes, float)
    if len(labelled) < _FOLDS:
        raise InputError(f"{len(labelled)} labels are too few to learn from: it takes {_FOLDS}.")
    ridge = need("sklearn.linear_model").Ridge(_RIDGE)
    folds = np.random.default_rng(seed).permutation(len(labelled)) % _FOLDS
    by_fold = np.array(
        [
            ridge.fit(features[labelled[folds != fold]], z[folds != fold]).predict(features)
            for fold in range(_FOLDS)
        ]
    )
    beliefs: NDArray[np.float64] = by_fold.mean(axis=0)
    beliefs[labelled] = by_fold[folds, labelled]
    return beliefs.clip(0, 1)
