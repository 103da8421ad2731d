"""Means of queries that were drawn by known chances: by hand, and by their coverage."""

import numpy as np
import pytest
from scipy import stats

from measurements.interval_coverage import drawn_coverage
from metrics.errors import InputError
from metrics.statistics.inclusion import hajek_interval
from metrics.statistics.significance import mean_interval


def test_each_query_counts_by_the_inverse_of_its_chance() -> None:
    # (1 x 3 + 2 x 6 + 4 x 1) / (1 + 2 + 4); the undefined one stays out.
    found = hajek_interval([3.0, 6.0, 1.0, np.nan], [1.0, 0.5, 0.25, 0.1])
    assert found.value == pytest.approx(19 / 7)
    assert (found.n, found.low) == (3, None)


def test_with_equal_chances_it_is_the_plain_mean_and_interval() -> None:
    values = np.random.default_rng(1).exponential(size=40)
    found, plain = hajek_interval(values, np.full(40, 0.3)), mean_interval(values)
    assert [found.value, found.low, found.high, found.p] == pytest.approx(
        [plain.value, plain.low, plain.high, plain.p]
    )
    assert hajek_interval(values[:30], np.full(30, 0.3)).low is not None
    assert hajek_interval(values[:29], np.full(29, 0.3)).low is None


def test_one_query_that_makes_most_of_the_variance_leaves_few_degrees_of_freedom() -> None:
    values, chances = np.tile([0.0, 1.0], 40), np.tile([0.5, 0.6], 40)
    even = hajek_interval(values, chances)
    values[0] = 100.0
    one_sided = hajek_interval(values, chances)
    shares = 1 / chances / (1 / chances).sum()
    parts = (shares * (values - shares @ values)) ** 2
    degrees = parts.sum() ** 2 / (parts**2).sum() - 1
    half = stats.t.ppf(0.975, max(degrees, 1)) * (80 / 79 * parts.sum()) ** 0.5
    assert one_sided.high == pytest.approx(shares @ values + half)
    assert (one_sided.high or 0) - (one_sided.low or 0) > 50 * ((even.high or 0) - (even.low or 0))


@pytest.mark.parametrize("least", [0.5, 0.1])
def test_values_whose_large_ones_are_rarely_drawn_are_held_nearly_as_often(least: float) -> None:
    weighted, _, _ = drawn_coverage(200, least, 500, is_signed=False, falls=True)
    assert weighted > 0.89


def test_one_query_that_counts_for_most_leaves_no_interval() -> None:
    values = np.random.default_rng(2).normal(size=100)
    chances = np.where(np.arange(100) == 0, 1e-4, 1.0)
    assert hajek_interval(values, chances).low is None


@pytest.mark.parametrize("is_signed", [True, False])
def test_the_interval_holds_where_the_plain_one_does_not(is_signed: bool) -> None:
    weighted, plain, n = drawn_coverage(200, 0.5, 300, is_signed=is_signed)
    assert n == 300
    assert plain < 0.9
    assert weighted > 0.93


@pytest.mark.parametrize("chances", [[0.0, 1.0], [1.1, 1.0], [np.nan, 1.0], [1.0]])
def test_chances_that_are_none_are_refused(chances: list[float]) -> None:
    with pytest.raises(InputError):
        hajek_interval([1.0, 2.0], chances)
