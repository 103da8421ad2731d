"""How many queries would show a difference, against the formula for normal values."""

import numpy as np
import pytest
from statsmodels.stats.power import TTestPower

from metrics.errors import InputError
from metrics.statistics.power import MOST_DRAWN, TARGET, power_of


@pytest.mark.parametrize(("n", "difference"), [(43, 0.5), (200, 0.2), (500, 0.08)])
def test_with_normal_values_the_power_is_that_of_the_textbook(n: int, difference: float) -> None:
    values = np.random.default_rng(1).normal(size=n)
    values = (values - values.mean()) / values.std()

    power, needed, _ = power_of(values, np.zeros(n), difference)

    assert power == pytest.approx(TTestPower().power(difference, n, 0.05), abs=0.04)
    exact = TTestPower().solve_power(difference, power=TARGET, alpha=0.05)
    assert needed == pytest.approx(exact, rel=0.1)


def test_beyond_what_is_drawn_the_number_goes_on_as_the_normal_distribution_has_it() -> None:
    values = np.random.default_rng(2).normal(size=300)
    values = (values - values.mean()) / values.std()
    _power, needed, _ = power_of(values, np.zeros(300), 0.05)

    assert needed is not None
    assert needed > MOST_DRAWN
    assert needed == pytest.approx(
        TTestPower().solve_power(0.05, power=TARGET, alpha=0.05), rel=0.01
    )
    # Nobody has as many queries as this takes.
    assert power_of(values, np.zeros(300), 0.001)[1] is None


def test_so_many_queries_as_it_says_do_show_the_difference() -> None:
    draw = np.random.default_rng(3)
    # As values of RaB are: half of them 0, the others of a long tail.
    some = draw.exponential(size=400) * draw.choice([-1, 1], 400) * (draw.random(400) < 0.5)
    _power, needed, _ = power_of(some, np.zeros(400), 0.3)
    assert needed is not None

    moved = some - some.mean() + 0.3
    studies = draw.choice(moved, (4_000, needed))
    t = studies.mean(axis=1) / (studies.std(axis=1, ddof=1) / needed**0.5)
    assert (np.abs(t) > 1.98).mean() == pytest.approx(TARGET, abs=0.05)


def test_a_stricter_level_takes_more_queries() -> None:
    values = np.random.default_rng(4).normal(size=100)
    (power, needed, _), (strict, more, _) = (
        power_of(values, np.zeros(100), 0.4, level=level) for level in (0.05, 0.005)
    )
    assert power is not None
    assert needed is not None
    assert strict is not None
    assert more is not None
    assert strict < power
    assert more > needed


def test_without_spread_there_is_no_power_and_a_difference_is_above_zero() -> None:
    assert power_of([1.0] * 30, [0.0] * 30, 0.1) == (None, None, 0)
    with pytest.raises(InputError):
        power_of([1.0, 2.0], [0.0, 0.0], 0)


def test_the_power_is_that_of_the_direction_that_is_harder_to_show() -> None:
    draw = np.random.default_rng(6)
    some = draw.exponential(size=60) * (draw.random(60) < 0.4)
    forward, backward = (power_of(*pair, 0.2) for pair in ((some, some * 0), (some * 0, some)))

    # The same whichever is named first; only the direction is told from there.
    assert forward[:2] == backward[:2]
    assert forward[2] == -backward[2] != 0
    # A tail above: few queries seldom show that the mean is higher, and often that it is lower.
    moved = some - some.mean()
    shown = {
        sign: np.mean(
            [
                abs(study.mean()) > 2.0 * study.std(ddof=1) / 60**0.5
                for study in draw.choice(moved + sign * 0.2, (2_000, 60))
            ]
        )
        for sign in (1, -1)
    }
    assert forward[0] == pytest.approx(min(shown.values()), abs=0.04)
    assert shown[forward[2]] < shown[-forward[2]]
