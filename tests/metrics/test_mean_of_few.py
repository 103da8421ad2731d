"""Means of any number per query from few judgments of people and all of a model's."""

from dataclasses import replace
from itertools import combinations

import numpy as np
import pytest

from metrics.statistics.differences import FAR, MOST_WIDER, SKEWED, UNSEEN
from metrics.statistics.few_labels import (
    Sample,
    half_width_with,
    labels_needed,
    mean,
    mean_of_subset,
    share,
)
from metrics.statistics.figure import student
from metrics.statistics.significance import MIN_QUERIES, mean_interval

_RANDOM = np.random.default_rng(46)
MODEL = _RANDOM.normal(2, 3, 200)
PEOPLE = 0.8 * MODEL - 1 + _RANDOM.normal(0, 1, 200)
ROWS = _RANDOM.choice(200, 60, replace=False)
SAMPLE = Sample.of(MODEL, ROWS, PEOPLE[ROWS])


def test_the_mean_is_that_of_the_model_corrected_by_what_it_is_off() -> None:
    z, f = PEOPLE[ROWS], MODEL[ROWS]
    weight = np.cov(z, f)[0, 1] / f.var(ddof=1)
    value = weight * MODEL.mean() + (z - weight * f).mean()
    # The slope takes a degree of freedom of the residuals; 140 of 200 are not known.
    error = ((z - weight * f).var(ddof=1) * 59 / 58 * 0.7 / 60) ** 0.5
    figure = mean(SAMPLE, unseen=0, target="pool")
    assert (figure.weight, figure.value, figure.standard_error) == pytest.approx(
        (weight, value, error), abs=1e-12
    )
    half = student(0.95, 60, is_tuned=True) * error
    assert (figure.low, figure.high) == pytest.approx((value - half, value + half), abs=1e-12)
    assert figure.naive == MODEL.mean()


def test_numbers_on_another_scale_give_the_same_figure_on_it() -> None:
    figure = mean(SAMPLE)
    other = mean(Sample.of(10 - 4 * MODEL, ROWS, 10 - 4 * PEOPLE[ROWS]))
    assert other.weight == pytest.approx(figure.weight)
    assert [other.value, other.high, other.low] == pytest.approx(
        [10 - 4 * number for number in (figure.value, figure.low or 0, figure.high or 0)]
    )


def test_over_all_samples_the_estimate_is_right_and_varies_as_it_says() -> None:
    model, people = MODEL[:8], PEOPLE[:8]
    figures = [
        mean(Sample.of(model, rows, people[list(rows)]), weight=0.7, unseen=0, target="pool")
        for rows in combinations(range(8), 3)
    ]
    values = [figure.value for figure in figures]
    assert np.mean(values) == pytest.approx(people.mean())
    assert np.mean([figure.standard_error**2 for figure in figures]) == pytest.approx(
        np.var(values)
    )


def test_of_shares_it_is_the_share_but_for_its_edges() -> None:
    belief, belongs = (MODEL > 1).astype(float), (PEOPLE > 1).astype(float)
    sample = Sample.of(belief, ROWS, belongs[ROWS])
    for weight in (0.0, 0.5):
        as_mean = mean(sample, weight=weight, unseen=0, target="pool")
        assert as_mean == share(sample, weight=weight, unseen=0)


@pytest.mark.parametrize("model", [np.full(200, 3.0), -MODEL])
def test_a_model_that_tells_nothing_or_the_reverse_costs_nothing(model: np.ndarray) -> None:
    figure = mean(Sample.of(model, ROWS, PEOPLE[ROWS]))
    alone = mean(Sample.of(model, ROWS, PEOPLE[ROWS]), weight=0.0)
    assert figure == alone
    assert figure.weight == 0


def test_a_model_that_would_make_the_interval_wider_is_left_out() -> None:
    """People and the model are alike in the sample, where one number differs from the others."""
    people = np.ones(200)
    people[ROWS[0]] = 0.5
    model = people.copy()
    model[np.setdiff1d(np.arange(200), ROWS)[:9]] = 0.0
    sample = Sample.of(model, ROWS, people[ROWS])
    forced, alone = mean(sample, weight=1.0), mean(sample, weight=0.0)
    assert forced.standard_error > MOST_WIDER * alone.standard_error
    assert mean(sample) == alone
    ones = replace(sample, outcomes=np.ones(60), belief=np.ones(200))
    ratio = mean(sample, ones)
    assert ratio.weight == 0
    assert (ratio.low, ratio.high) == pytest.approx((alone.low, alone.high))


def test_a_census_has_its_mean_and_no_width() -> None:
    census = Sample.of(MODEL, np.arange(200), PEOPLE)
    figure = mean(census, target="pool")
    assert figure.low == figure.high == figure.value == pytest.approx(PEOPLE.mean(), abs=1e-14)


def test_of_all_queries_like_these_a_census_has_the_interval_of_its_values() -> None:
    """By default: which of two systems is better is asked of queries in general."""
    for weight in (0.0, None):
        figure = mean(Sample.of(MODEL, np.arange(200), PEOPLE), weight=weight)
        plain = mean_interval(PEOPLE)
        assert figure.target == "population"
        assert figure.value == pytest.approx(plain.value)
        assert figure.p == pytest.approx(plain.p)
        assert (figure.low, figure.high) == pytest.approx((plain.low, plain.high))
    alike = mean(Sample.of(MODEL, np.arange(200), np.ones(200)))
    assert alike.low is alike.high is None
    assert alike.withheld
    few = mean(Sample.of(MODEL[:20], np.arange(20), PEOPLE[:20]))
    assert few.low is None


def test_people_alone_have_the_paired_t_test_whatever_part_of_the_pool_they_judged() -> None:
    for n in (60, 120, 199):
        rows = np.random.default_rng(n).choice(200, n, replace=False)
        figure = mean(Sample.of(MODEL, rows, PEOPLE[rows]), weight=0.0, unseen=0)
        assert figure.p == pytest.approx(mean_interval(PEOPLE[rows]).p)


@pytest.mark.parametrize("judged", [35, 45, 53, 54])
def test_systems_that_are_alike_query_by_query_are_rarely_called_different(judged: int) -> None:
    """Of a pool of 54 topics: which of the two is better is asked of all like these."""
    random = np.random.default_rng(judged)
    n_significant = 0
    for _ in range(300):
        people = random.normal(0, 1, 54)
        model = people + random.normal(0, 1, 54)
        rows = random.choice(54, judged, replace=False)
        p = mean(Sample.of(model, rows, people[rows])).p
        n_significant += p is not None and p < 0.05
    # .05 and three standard errors of 300 samples.
    assert n_significant / 300 < 0.09


def test_no_interval_has_width_zero_before_everything_is_judged() -> None:
    rare = np.zeros(200)
    rare[np.setdiff1d(np.arange(200), ROWS)[0]] = 1.0
    for people, model in ((rare, np.zeros(200)), (rare, rare), (MODEL, MODEL), (rare, MODEL)):
        for every in (None, 0.0):
            figure = mean(Sample.of(model, ROWS, people[ROWS]), weight=every)
            if people is rare and not model.any():  # nothing tells how they vary
                assert figure.low is figure.high is None
                assert figure.withheld
                continue
            assert figure.low is not None
            assert figure.high is not None
            assert figure.low < people.mean() < figure.high
    # One residual of 2.5 times the range was not seen: (1 - .3) * 2.5 / 60^2, as of categories.
    perfect = mean(Sample.of(rare, ROWS, rare[ROWS]), target="pool")
    far = 1 - rare.mean()
    assert perfect.standard_error == pytest.approx((0.7 * 2.5) ** 0.5 / 60 * far)


def test_a_few_large_residuals_stand_for_more_and_so_does_the_farthest_of_the_pool() -> None:
    people = np.zeros(200)
    people[ROWS[0]] = 1.0
    sample = Sample.of(np.zeros(200), ROWS, people[ROWS])
    plain, figure = (
        mean(sample, unseen=unseen, target="pool", is_bounded=True) for unseen in (0, UNSEEN)
    )
    # One among 59 zeros lies 59/60 from the mean, and the others 1/60.
    squared = 60 * (59**3 - 59) ** 2 / (59**2 + 59) ** 3
    assert sample.squared_skewness(people[ROWS]) == pytest.approx(squared)
    assert figure.standard_error**2 / plain.standard_error**2 == pytest.approx(
        1 + SKEWED * squared / 60
    )
    # As many on both sides cancel out.
    people[ROWS[1]] = -1.0
    both_sides = Sample.of(np.zeros(200), ROWS, people[ROWS])
    assert both_sides.squared_skewness(people[ROWS]) == pytest.approx(0)
    # Residuals of like size, and a pool that has farther ones.
    model = MODEL.copy()
    model[np.setdiff1d(np.arange(200), ROWS)[0]] = 40.0
    known = Sample.of(model, ROWS, PEOPLE[ROWS])
    far = 40 - model.mean()
    more = mean(known, weight=0.0).standard_error ** 2
    more -= mean(known, weight=0.0, unseen=0).standard_error ** 2  # the pool's part is the same
    assert more == pytest.approx(FAR[0] * far**2 * 0.7 / 60**2)
    more = mean(known, weight=1.0).standard_error ** 2
    more -= mean(known, weight=1.0, unseen=0).standard_error ** 2
    assert more == pytest.approx(FAR[1] * far**2 * 0.7 / 60**2)


@pytest.mark.long
@pytest.mark.parametrize("n", [30, 50, 100])
@pytest.mark.parametrize("sigma", [0.5, 1.0, 2.0])
def test_values_without_a_bound_have_no_interval_where_their_tail_is_long(
    sigma: float, n: int
) -> None:
    values = np.exp(sigma * np.random.default_rng(7).normal(size=2_000))
    drawn = np.random.default_rng(n)
    missed = 0
    for _ in range(300):
        rows = drawn.choice(2_000, n, replace=False)
        blind = mean(Sample.of(np.zeros(2_000), rows, values[rows]), target="pool")
        if blind.low is None:
            assert "large values" in blind.withheld
        else:
            missed += not blind.low <= values.mean() <= (blind.high or 0)
        # Bounds that are known, by the caller or by the model's values of the pool, give one.
        assert mean(Sample.of(blind.naive + 0 * values, rows, values[rows]), is_bounded=True).low
        farther = Sample.of(10 * values.max() * (np.arange(2_000) == 0), rows, values[rows])
        assert mean(farther, target="pool").low is not None
    # Four standard errors of .05; without that rule up to .31 are shown and do not hold.
    assert missed / 300 <= 0.05 + 4 * (0.05 * 0.95 / 300) ** 0.5


def test_below_thirty_judged_it_is_withheld_and_says_how_many_it_takes() -> None:
    few = Sample.of(MODEL, ROWS[:29], PEOPLE[ROWS[:29]])
    for figure in (mean(few), mean(few, replace(few, outcomes=np.ones(29)))):
        assert figure.low is figure.high is None
        assert f"judge {MIN_QUERIES - 29} more" in figure.withheld
        assert figure.p is None
    assert mean(Sample.of(MODEL, ROWS[:30], PEOPLE[ROWS[:30]])).low is not None


def test_p_is_small_where_the_interval_leaves_zero_out() -> None:
    for shift in (0.0, 1.0, 3.0):
        figure = mean(Sample.of(MODEL, ROWS, PEOPLE[ROWS] + shift))
        assert figure.low is not None
        assert figure.high is not None
        assert figure.p is not None
        assert (figure.p < 0.05) == (figure.low > 0 or figure.high < 0)


def test_the_width_that_is_wanted_takes_so_many() -> None:
    figure = mean(SAMPLE, target="pool")
    half = (figure.high or 0) - figure.value
    assert labels_needed(figure, half, 200) == 60
    assert (labels_needed(figure, half / 2, 200) or 0) > 60


def test_of_all_queries_like_these_no_labels_do_more_than_a_whole_pool() -> None:
    figure = mean(SAMPLE)
    half = (figure.high or 0) - figure.value
    assert labels_needed(figure, half, 200) == 60
    assert half_width_with(figure, 60, 200) == pytest.approx(half)
    census = half_width_with(figure, 200, 200)
    assert 0 < census < half
    assert labels_needed(figure, census * 0.999, 200) is None
    assert labels_needed(figure, census * 1.001, 200) in range(190, 201)


def test_a_ratio_of_means_is_the_mean_over_those_that_have_a_number() -> None:
    ones = Sample.of(np.ones(200), ROWS, np.ones(60))
    same = mean(SAMPLE, ones)
    whole = mean(SAMPLE)
    assert (same.value, same.low, same.high) == pytest.approx(
        (whole.value, whole.low, whole.high), abs=1e-9
    )
    has = MODEL > 0
    top = Sample.of(MODEL * has, ROWS, (PEOPLE * has)[ROWS])
    bottom = Sample.of(has, ROWS, has[ROWS])
    alone = mean(top, bottom, weight=0.0)
    assert alone.value == pytest.approx(PEOPLE[ROWS][has[ROWS]].mean())
    belief = np.abs(np.sin(np.arange(200)))
    sample = Sample.of(belief, ROWS, has[ROWS])
    subset = mean_of_subset(sample, PEOPLE, unseen=0)
    both = replace(sample, belief=belief * PEOPLE, outcomes=(has * PEOPLE)[ROWS])
    ratio = mean(both, sample, unseen=0, target="pool")
    assert (ratio.value, ratio.weight) == pytest.approx((subset.value, subset.weight))
    # The subset's belief is tuned without a degree of freedom, as published.
    assert ratio.standard_error**2 == pytest.approx(subset.standard_error**2 * 59 / 58)


def test_a_ratio_whose_denominator_may_be_zero_is_withheld() -> None:
    bottom = Sample.of(np.zeros(200), ROWS, (PEOPLE > 8)[ROWS])
    figure = mean(SAMPLE, bottom, weight=0.0)
    assert figure.low is figure.high is None
    assert "denominator" in figure.withheld
