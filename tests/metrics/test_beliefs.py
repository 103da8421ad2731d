"""A classifier of the labels at hand: it learns, and no belief knows its own label."""

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.statistics.beliefs import cross_fitted_beliefs, text_features

TEXTS = [
    f"{who} of {what} {at}"
    for at in range(60)
    for who, what in [("queen", "spain"), ("price", "milk")]
]
BELONGS = np.tile([0.0, 1.0], 60)


def test_it_learns_from_a_few_labels() -> None:
    features, rows = text_features(TEXTS), np.arange(40)
    beliefs = cross_fitted_beliefs(features, rows, BELONGS[:40])
    assert ((beliefs > 0.5) == (BELONGS > 0.5)).all()
    assert ((beliefs >= 0) & (beliefs <= 1)).all()


def test_no_belief_knows_its_own_label() -> None:
    random = np.random.default_rng(3)
    features, rows = random.normal(size=(400, 50)), np.arange(200)
    outcomes = random.integers(0, 2, 200)
    beliefs = cross_fitted_beliefs(features, rows, outcomes)
    assert abs(np.corrcoef(beliefs[rows], outcomes)[0, 1]) < 0.2


def test_too_few_labels_are_refused() -> None:
    with pytest.raises(InputError, match="too few"):
        cross_fitted_beliefs(np.zeros((9, 2)), [0, 1], [0, 1])
