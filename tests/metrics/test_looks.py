"""Intervals that hold at every look: the boundary by hand, and random walks that look often."""

from math import inf, log

import numpy as np
import pytest
from scipy import stats

from measurements.few_labels_coverage import DATA, Pool
from measurements.few_labels_looks import trajectories
from metrics.errors import InputError
from metrics.statistics.looks import level_at_every_look


def test_the_boundary_is_that_of_a_normal_mixture() -> None:
    # Information 8 at 200 labels: the root of (1 + 1/8) log(9 / .05^2).
    boundary = (9 / 8 * log(9 / 0.05**2)) ** 0.5
    assert level_at_every_look(200, inf) == pytest.approx(2 * stats.norm.cdf(boundary) - 1)


def test_what_is_counted_in_full_needs_no_more_than_one_look() -> None:
    assert level_at_every_look(300, 300) == 0.95
    assert level_at_every_look(299, 300) > 0.99


def test_walks_that_are_looked_at_after_every_step_stay_within_it() -> None:
    steps = np.random.default_rng(1).normal(size=(1_000, 3_000))
    n = np.arange(1, 3_001)
    sizes = np.abs(steps.cumsum(axis=1)) / n**0.5
    every = [stats.norm.ppf((1 + level_at_every_look(k, inf)) / 2) for k in n.tolist()]
    assert (sizes > every).any(axis=1).mean() <= 0.05
    assert (sizes > 1.96).any(axis=1).mean() > 0.5


@pytest.mark.parametrize(("n", "level"), [(0, 0.95), (11, 0.95), (5, 1.0)])
def test_an_impossible_look_is_refused(n: int, level: float) -> None:
    with pytest.raises(InputError):
        level_at_every_look(n, 10, level=level)


@pytest.mark.long
@pytest.mark.shared_data
def test_they_hold_at_thirty_looks_together_where_those_for_one_do_not() -> None:
    held, _ = trajectories(Pool(DATA), "0.80", "n", 40, 3)
    one, every = held.min(axis=2).mean(axis=0)
    assert every.min() >= 0.94
    assert one.max() < 0.9
