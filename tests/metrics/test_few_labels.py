"""Figures from few labels: known values, every sample of a small pool, and what is withheld."""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from metrics.errors import InputError
from metrics.statistics.few_labels import (
    Figure,
    Sample,
    fieller,
    half_width_with,
    labels_needed,
    mean_of_subset,
    share,
    share_by_strata,
    student,
)

TEN = Sample.of([1, 1, 1, 0, 0, 1, 0, 1, 0, 0], [0, 2, 4, 6, 9], [1, 0, 0, 1, 0])
TEN_VALUES = [0.3, -0.1, 0.2, 0.6, -0.4, 0.1, 0.5, 0, -0.2, 0.4]
TEN_OTHERS = [0.2, -0.1, 0.1, 0.3, -0.2, 0, 0.4, 0.1, -0.1, 0.2]

_I = np.arange(200)
_F = (37 * _I % 100) / 100
_Z = ((29 * _I % 100) / 100 < 0.8 * _F + 0.1).astype(float)
_S = (3 * np.arange(60) + 1) % 200
MANY = Sample.of(_F, _S, _Z[_S])
MANY_VALUES = (53 * _I % 97) / 97 - 0.5


def close(figure: Figure, *expected: float, tolerance: float = 1e-12) -> None:
    value, error, low, high = expected
    assert (figure.value, figure.standard_error, figure.low, figure.high) == pytest.approx(
        (value, error, low, high), abs=tolerance
    )


#: The quantile of Student's t for 95 % and 3 and 4 degrees of freedom, from a table.
T3, T4 = 3.182446305284263, 2.7764451051977987


def about(value: float, variance: float, t: float) -> tuple[float, float, float, float]:
    """Value, standard error and interval, of fractions worked out by hand."""
    error = variance**0.5
    return value, error, value - t * error, value + t * error


def test_the_share_of_ten_queries() -> None:
    close(share(TEN, weight=0), *about(2 / 5, 3 / 100, T4))
    close(share(TEN, weight=1), *about(1 / 2, 1 / 20, T4))
    best = share(TEN)
    assert best.weight == pytest.approx(1 / 6, abs=1e-12)
    close(best, *about(5 / 12, 7 / 240, T3))


def test_the_mean_over_the_subset_of_ten_queries() -> None:
    alone = mean_of_subset(TEN, TEN_VALUES, weight=0, least=0)
    assert (alone.value, alone.standard_error) == pytest.approx(
        (2 / 5, (1 / 320) ** 0.5), abs=1e-12
    )
    corrected = mean_of_subset(TEN, TEN_VALUES, weight=1, least=0)
    assert (corrected.value, corrected.standard_error) == pytest.approx(
        (0.22, 0.00608**0.5), abs=1e-12
    )
    # By Fieller's theorem none is finite; the usual ones stand in the facts that this is built on.
    assert corrected.low is corrected.high is None
    assert corrected.withheld
    usual = about(2 / 5, 1 / 320, T4), about(0.22, 0.00608, T4)
    assert [one[2:] for one in usual] == [
        pytest.approx((0.2447920002, 0.5552079998), abs=1e-10),
        pytest.approx((0.0035084844, 0.4364915156), abs=1e-10),
    ]
    difference = np.subtract(TEN_VALUES, TEN_OTHERS)
    paired = mean_of_subset(TEN, difference, weight=1, least=0)
    assert (paired.value, paired.standard_error) == pytest.approx((0.04, 0.00072**0.5), abs=1e-12)


@pytest.mark.parametrize(
    ("weight", "values"),
    [
        (0, (0.516666666667, 0.054431663821, 0.407749158938, 0.625584174395)),
        (1, (0.513333333333, 0.050609235589, 0.412064486831, 0.614602179836)),
        (None, (0.514296845240, 0.049817458161, 0.414576368223, 0.614017322257)),
    ],
)
def test_the_share_of_two_hundred(weight: float | None, values: tuple[float, ...]) -> None:
    close(share(MANY, weight=weight), *values)


@pytest.mark.parametrize(
    ("weight", "values"),
    [
        (0, (-0.023777851679, 0.040887418795, -0.105593387709, 0.058037684351)),
        (1, (-0.006108582140, 0.026149076293, -0.058432762942, 0.046215598663)),
        (None, (-0.007289889156, 0.026054272020, -0.059443180995, 0.044863402683)),
    ],
)
def test_the_mean_over_the_subset_of_two_hundred(
    weight: float | None, values: tuple[float, ...]
) -> None:
    close(mean_of_subset(MANY, MANY_VALUES, weight=weight), *values)


def test_the_best_weights_and_the_larger_population() -> None:
    ratio = mean_of_subset(MANY, MANY_VALUES, target="population")
    assert (
        share(MANY).weight,
        ratio.weight,
        share(MANY, target="population").standard_error,
        ratio.standard_error,
    ) == pytest.approx((0.710946427953, 0.933546084289, 0.061249923665, 0.037487606285), abs=1e-12)


def every_sample(size: int, n: int) -> list[tuple[int, ...]]:
    return list(combinations(range(size), n))


POOL_Z = np.array([1, 0, 1, 1, 0, 0, 1, 0], float)
POOL_F = np.array([0.9, 0.2, 0.4, 0.8, 0.1, 0.6, 0.7, 0.3])


def test_over_all_samples_of_strata_the_estimate_is_right_and_varies_as_it_says() -> None:
    strata = np.array([0, 0, 0, 0, 1, 1, 1, 1])
    figures = []
    for first in every_sample(4, 2):
        for second in every_sample(4, 2):
            rows = [*first, *(4 + row for row in second)]
            sample = Sample.of(POOL_F, rows, POOL_Z[rows], strata=strata)
            figures.append(share(sample, weight=0.5))
    values = [figure.value for figure in figures]
    assert np.mean(values) == pytest.approx(POOL_Z.mean())
    assert np.mean([figure.standard_error**2 for figure in figures]) == pytest.approx(
        np.var(values)
    )


def test_over_all_samples_with_unequal_chances_the_estimate_is_right_and_varies_as_it_says() -> (
    None
):
    chances = np.array([0.9, 0.8, 0.5, 0.7, 0.6, 0.5, 0.8, 0.9])
    totals, variances, probabilities = [], [], []
    for taken in product((False, True), repeat=8):
        rows = np.flatnonzero(taken)
        probabilities.append(np.prod(np.where(taken, chances, 1 - chances)))
        if len(rows) < 2:  # refused: none of them weighs much
            totals.append(float(POOL_Z[rows] @ (1 / chances[rows])) / 8)
            variances.append(0.0)
            continue
        figure = share(Sample.of(POOL_F, rows, POOL_Z[rows], chances=chances), weight=0)
        totals.append(figure.value)
        variances.append(figure.standard_error**2)
    mean = np.dot(probabilities, totals)
    assert mean == pytest.approx(POOL_Z.mean())
    spread = np.dot(probabilities, (np.array(totals) - mean) ** 2)
    assert np.dot(probabilities, variances) == pytest.approx(spread, rel=0.01)


def test_it_is_what_prediction_powered_inference_gives() -> None:
    """Its estimate has the labelled queries apart from the others, and a weight to match."""
    rest, weight = np.setdiff1d(_I, _S), 140 / 200
    theirs = weight * _F[rest].mean() + np.mean(_Z[_S] - weight * _F[_S])
    assert share(MANY, weight=1).value == pytest.approx(theirs)


@pytest.mark.parametrize(
    ("weight", "interval"),
    [
        (0, (-0.107474257748, 0.059918554389)),
        (1, (-0.060861759744, 0.045919185940)),
        (None, (-0.061802960137, 0.044599418406)),
    ],
)
def test_the_interval_of_a_ratio_by_fieller(
    weight: float | None, interval: tuple[float, float]
) -> None:
    figure = mean_of_subset(MANY, MANY_VALUES, weight=weight)
    off = _Z[_S] - figure.weight * _F[_S]
    totals = off * MANY_VALUES[_S], off
    variances = (1 - 60 / 200) / 60 * np.cov(totals)
    sums = (totals[0].mean(), totals[1].mean())
    whole = figure.weight * np.array([np.mean(_F * MANY_VALUES), _F.mean()])
    t = student(0.95, 60, is_tuned=weight is None)
    low_high = fieller(sums[0] + whole[0], sums[1] + whole[1], variances, t)
    assert low_high == pytest.approx(interval, abs=1e-12)
    assert figure.low != low_high[0]  # its denominator is strong


def test_a_weak_denominator_has_the_interval_of_fieller() -> None:
    rows = _S[:12]
    sample = Sample.of(_F, rows, _Z[rows])
    figure = mean_of_subset(sample, MANY_VALUES, weight=0, least=2)
    totals = _Z[rows] * MANY_VALUES[rows], _Z[rows]
    variances = (1 - 12 / 200) / 12 * np.cov(totals)
    t = student(0.95, 12, is_tuned=False)
    expected = fieller(totals[0].mean(), totals[1].mean(), variances, t)
    assert (figure.low, figure.high) == pytest.approx(expected, abs=1e-12)


def test_a_belief_that_tells_nothing_changes_nothing() -> None:
    alone = Sample.of(np.full(200, 0.3), _S, _Z[_S])
    assert share(alone).weight == 0
    assert share(alone) == replace(share(MANY, weight=0), naive=share(alone).naive)


def test_a_census_has_no_interval_of_its_pool() -> None:
    census = Sample.of(_F, _I, _Z)
    figure = share(census)
    assert figure.low == figure.high == pytest.approx(_Z.mean())
    assert share(census, target="population").standard_error > 0


def test_of_a_belief_that_is_what_people_say_nothing_is_unsure() -> None:
    figure = share(Sample.of(_Z, _S, _Z[_S]))
    assert (figure.weight, figure.low, figure.high) == pytest.approx((1, 0.5, 0.5), abs=1e-12)
    mean = mean_of_subset(Sample.of(_Z, _S, _Z[_S]), MANY_VALUES)
    assert (mean.value, mean.standard_error) == pytest.approx((-0.0182474226804124, 0), abs=1e-12)


def test_no_answer_of_the_model_counts_as_not_knowing() -> None:
    belief = _F.copy()
    belief[3] = np.nan
    known = _F.copy()
    known[3] = 0.5
    assert share(Sample.of(belief, _S, _Z[_S])) == share(Sample.of(known, _S, _Z[_S]))


@pytest.mark.parametrize("outcome", [0, 1])
def test_a_mean_is_withheld_where_too_few_belong_or_do_not(outcome: int) -> None:
    figure = mean_of_subset(Sample.of(_F, _S, np.full(60, outcome)), MANY_VALUES)
    assert figure.low is figure.high is None
    assert figure.withheld


def test_rare_shares_are_counted_by_the_models_labels() -> None:
    labels = np.where(_F > 0.8, "o", "n")
    figure = share_by_strata(MANY, labels, seed=1)
    assert figure == share_by_strata(MANY, labels, seed=1)
    assert figure.low is not None
    assert figure.low < _Z.mean() < (figure.high or 0)
    none = share_by_strata(Sample.of(_F, _S, np.zeros(60)), labels)
    assert 0 <= (none.low or 0) < (none.high or 0) < 0.1
    wider = share_by_strata(MANY, labels, target="population")
    assert wider.standard_error > figure.standard_error


def test_the_width_that_is_promised_takes_so_many_labels() -> None:
    figure = share(MANY)
    half = (figure.high or 0) - figure.value
    assert labels_needed(figure, half, MANY.pool) == MANY.n
    assert half_width_with(figure, MANY.n, MANY.pool) == pytest.approx(half)
    assert half_width_with(figure, MANY.pool, MANY.pool) == 0
    assert labels_needed(figure, half / 2, MANY.pool) > 2 * MANY.n
    assert labels_needed(figure, 0.0, MANY.pool) == MANY.pool


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"belief": [1.2, 0]}, "belief"),
        ({"rows": [0, 0]}, "twice"),
        ({"rows": [0, 7]}, "not in the pool"),
        ({"outcomes": [1, 2]}, "outcome"),
        ({"rows": [0], "outcomes": [1]}, "1 labelled"),
        ({"strata": [0, 1, 2]}, "stratum"),
        ({"chances": [0.5, 0.0, 0.1]}, "chance"),
    ],
)
def test_an_impossible_sample_is_refused(change: dict[str, Any], code: str) -> None:
    sound: dict[str, Any] = {"belief": [0.1, 0.5, 1], "rows": [0, 1], "outcomes": [1, 0]}
    with pytest.raises(InputError, match=code):
        Sample.of(**(sound | change))
