"""Means of queries that were drawn by known chances: by hand, and by their coverage."""

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.statistics.inclusion import hajek_interval
from metrics.statistics.significance import mean_interval
from tests.interval_coverage import drawn_coverage


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
    at_the_limit = hajek_interval(values[:20], np.full(20, 0.3))
    assert at_the_limit.low is not None


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
