"""Drawn queries: every query as often as its chance says, and further draws as one larger."""

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.statistics.drawing import (
    belief_strata,
    doubt,
    draw_more_unequal,
    draw_simple,
    draw_stratified,
    draw_unequal,
)

BELIEF = np.array([0, 0.1, 0.3, 0.5, np.nan, 0.7, 0.7, 0.9, 1, 1, 0.2, 0.6])
VALUES = np.array([0.1, -0.2, 0.4, np.nan, 0.3, 0.9, -0.5, 0.05, 0.2, 0.1, 0.0, -0.1])
SEEDS = range(4_000)


def how_often(*draws: np.ndarray) -> np.ndarray:
    return np.bincount(np.concatenate(draws), minlength=len(BELIEF)) / len(SEEDS)


@pytest.mark.long
def test_a_simple_draw_takes_each_query_as_often_and_none_again() -> None:
    drawn = [draw_simple(12, 4, seed=seed, before=[0, 5]) for seed in SEEDS]
    assert all(len(one.rows) == 4 for one in drawn)
    often = how_often(*(one.rows for one in drawn))
    assert often[[0, 5]].tolist() == [0, 0]
    assert np.delete(often, [0, 5]) == pytest.approx(0.4, abs=0.035)
    assert drawn[0].chances.tolist() == [0.5] * 12
    assert draw_simple(12, 4, seed=3).rows.tolist() == draw_simple(12, 4, seed=3).rows.tolist()


def test_a_stratified_draw_takes_of_each_stratum_its_share_and_two_at_least() -> None:
    strata = belief_strata([0.0] * 60 + [0.5] * 36 + [1.0] * 4)
    first = draw_stratified(strata, 20, seed=1)
    assert np.bincount(strata[first.rows])[[0, 2, 4]].tolist() == [12, 7, 2]
    assert first.chances[[0, 60, 96]] == pytest.approx([12 / 60, 7 / 36, 2 / 4])
    more = draw_stratified(strata, 20, seed=2, before=first.rows)
    assert not set(more.rows) & set(first.rows)
    both = np.concatenate([first.rows, more.rows])
    counts = np.bincount(strata[both])[[0, 2, 4]]
    assert more.chances[[0, 60, 96]] == pytest.approx(counts / [60, 36, 4])


def test_more_is_drawn_of_strata_that_models_doubt() -> None:
    belief = np.array([0.0] * 60 + [0.5] * 36 + [1.0] * 4)
    strata = belief_strata(belief)
    weights = doubt(belief, strata)
    assert weights[[0, 60, 96]] == pytest.approx([0.1, 0.5, 0.1])
    drawn = draw_stratified(strata, 20, seed=1, weights=weights)
    counts = np.bincount(strata[drawn.rows])[[0, 2, 4]]
    assert counts.tolist() == [5, 15, 2]
    assert drawn.chances[[0, 60, 96]] == pytest.approx(counts / [60, 36, 4])
    more = draw_stratified(strata, 10, seed=2, before=drawn.rows, weights=drawn.chances)
    assert not set(more.rows) & set(drawn.rows)
    assert more.chances[60] > more.chances[0]


@pytest.mark.long
def test_unequal_chances_hold_over_one_draw_and_over_two() -> None:
    first, both = [], []
    for seed in SEEDS:
        drawn = draw_unequal(BELIEF, VALUES, 4, seed=seed)
        further = draw_more_unequal(drawn, 3, seed=seed + 10**6, before=drawn.rows)
        first.append(drawn.rows)
        both.append(np.concatenate([drawn.rows, further.rows]))
    assert drawn.chances.sum() == pytest.approx(4)
    assert drawn.chances.min() >= 0.5 * 4 / 12
    assert how_often(*first) == pytest.approx(drawn.chances, abs=0.035)
    assert further.chances.sum() == pytest.approx(7, abs=1)
    assert how_often(*both) == pytest.approx(further.chances, abs=0.035)


def test_what_cannot_be_drawn_is_refused() -> None:
    with pytest.raises(InputError, match="3 are left"):
        draw_simple(5, 4, seed=0, before=[0, 1])
    with pytest.raises(InputError, match="same value"):
        draw_unequal([0.5, 0.6], [1, 1], 1, seed=0)
    with pytest.raises(InputError, match="believes no query"):
        draw_unequal([0, 0], [1, 2], 1, seed=0)
