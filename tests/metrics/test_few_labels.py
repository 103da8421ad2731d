"""Figures from few labels: known values, every sample of a small pool, and what is withheld."""

from dataclasses import replace
from itertools import combinations, product
from typing import Any

import numpy as np
import pytest

from measurements.few_labels_coverage import (
    CATEGORIES,
    DATA,
    DESIGNS,
    Pool,
    coverage_of_shown,
)
from measurements.small_samples import shares_of_all_samples
from metrics.errors import InputError
from metrics.statistics.few_labels import (
    Figure,
    Sample,
    half_width_with,
    labels_needed,
    mean_of_subset,
    share,
    share_by_strata,
    without_strata,
)
from metrics.statistics.figure import fieller, student
from metrics.statistics.looks import level_at_every_look
from metrics.statistics.model_beliefs import LabellingModel, ModelAnswer
from metrics.statistics.pool_figures import LabelledPool

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


def share_about(value: float, variance: float, t: float) -> tuple[float, float, float, float]:
    """The same of a share, which lies within 0 and 1."""
    value, error, low, high = about(value, variance, t)
    return value, error, max(low, 0), min(high, 1)


def test_the_share_of_ten_queries() -> None:
    close(share(TEN, weight=0, unseen=0), *share_about(2 / 5, 3 / 100, T4))
    close(share(TEN, weight=1, unseen=0), *share_about(1 / 2, 1 / 20, T4))
    best = share(TEN, unseen=0)
    assert best.weight == pytest.approx(1 / 6, abs=1e-12)
    close(best, *share_about(5 / 12, 7 / 240, T3))


def test_the_mean_over_the_subset_of_ten_queries() -> None:
    alone = mean_of_subset(TEN, TEN_VALUES, weight=0, least=0, unseen=0)
    assert (alone.value, alone.standard_error) == pytest.approx(
        (2 / 5, (1 / 320) ** 0.5), abs=1e-12
    )
    corrected = mean_of_subset(TEN, TEN_VALUES, weight=1, least=0, unseen=0)
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
    paired = mean_of_subset(TEN, difference, weight=1, least=0, unseen=0)
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
    close(share(MANY, weight=weight, unseen=0), *values)


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
    close(mean_of_subset(MANY, MANY_VALUES, weight=weight, unseen=0), *values)


def test_the_best_weights_and_the_larger_population() -> None:
    ratio = mean_of_subset(MANY, MANY_VALUES, target="population", unseen=0)
    assert (
        share(MANY, method="difference").weight,
        ratio.weight,
        share(MANY, target="population", unseen=0).standard_error,
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
            figures.append(share(sample, weight=0.5, unseen=0))
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
        figure = share(Sample.of(POOL_F, rows, POOL_Z[rows], chances=chances), weight=0, unseen=0)
        totals.append(figure.value)
        variances.append(figure.standard_error**2)
    # A ratio of two estimates: right but for a part that shrinks with the sample.
    mean = np.dot(probabilities, totals)
    assert mean == pytest.approx(POOL_Z.mean(), abs=0.005)
    spread = np.dot(probabilities, (np.array(totals) - mean) ** 2)
    assert np.dot(probabilities, variances) == pytest.approx(spread, rel=0.25)


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
    figure = mean_of_subset(sample, MANY_VALUES, weight=0, least=2, unseen=0)
    totals = _Z[rows] * MANY_VALUES[rows], _Z[rows]
    variances = (1 - 12 / 200) / 12 * np.cov(totals)
    t = student(0.95, 12, is_tuned=False)
    expected = fieller(totals[0].mean(), totals[1].mean(), variances, t)
    assert (figure.low, figure.high) == pytest.approx(expected, abs=1e-12)


def test_a_belief_that_tells_nothing_changes_nothing() -> None:
    alone = Sample.of(np.full(200, 0.3), _S, _Z[_S])
    for way in ("strata", "difference"):
        assert share(alone, method=way).weight == 0
    by_difference = share(alone, method="difference")
    assert by_difference == replace(share(MANY, weight=0), naive=by_difference.naive)


def test_a_census_has_no_interval_of_its_pool() -> None:
    census = Sample.of(_F, _I, _Z)
    figure = share(census)
    assert figure.low == figure.high == pytest.approx(_Z.mean())
    assert share(census, target="population").standard_error > 0


def test_a_model_that_was_never_seen_to_err_is_not_taken_for_one_that_never_does() -> None:
    # No residual in 60 of 200: 2.5 that were not seen, (1 - .3) * 2.5 / 60^2, Student's t of 58.
    sample = Sample.of(_Z, _S, _Z[_S])
    half = 2.0017174841452352 * (0.7 * 2.5) ** 0.5 / 60
    figure = share(sample, method="difference")
    assert (figure.weight, figure.low, figure.high) == pytest.approx(
        (1, 0.5 - half, 0.5 + half), abs=1e-12
    )
    mean = mean_of_subset(sample, MANY_VALUES)
    assert mean.value == pytest.approx(-0.0182474226804124, abs=1e-12)
    off = np.mean((MANY_VALUES - mean.value) ** 2) * 0.7 * 2.5 / 60**2 / 0.5**2
    assert mean.standard_error == pytest.approx(off**0.5, abs=1e-12)


def test_no_interval_has_width_zero_before_everything_is_counted() -> None:
    random = np.random.default_rng(5)
    for _ in range(200):
        pool, n = 60, int(random.integers(12, 59))
        truth = (random.random(pool) < random.uniform(0.2, 0.8)).astype(float)
        belief = np.where(random.random(pool) < random.choice([0, 0.02, 1]), 1 - truth, truth)
        rows = random.choice(pool, n, replace=False)
        strata = np.arange(pool) % 3
        designs: list[dict[str, Any]] = [{}, {"chances": np.full(pool, n / pool)}]
        if min(np.bincount(strata[rows], minlength=3)) > 1:
            designs.append({"strata": strata})
        values = random.normal(size=pool)
        for design in designs:
            sample = Sample.of(belief, rows, truth[rows], **design)
            every_look = level_at_every_look(n, pool)
            found = [
                share(sample),
                share(sample, weight=0),
                share(sample, level=every_look),
                mean_of_subset(sample, values),
                mean_of_subset(sample, values, weight=0),
                mean_of_subset(sample, values, level=every_look),
            ]
            if not design:
                found.append(share_by_strata(sample, belief > 0.5))
            for figure in found:
                if figure.low is not None and figure.high is not None:
                    assert figure.low < figure.high
                    assert figure.low <= figure.value <= figure.high
                assert figure.effective_n <= pool or np.isnan(figure.effective_n)


def test_of_unequal_chances_a_share_stays_within_what_shares_can_be() -> None:
    chances = np.where(np.arange(200) % 2, 0.9, 0.05)
    truth = np.arange(200) % 10 > 0
    random = np.random.default_rng(3)
    for _ in range(50):
        rows = np.flatnonzero(random.random(200) < chances)
        sample = Sample.of(np.full(200, 0.4), rows, truth[rows], chances=chances)
        figure = share(sample)
        assert 0 <= (figure.low or 0) <= figure.value <= (figure.high or 0) <= 1
        assert figure == share(sample, weight=0)  # a belief that is the same of all costs nothing


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
    figure = share_by_strata(MANY, labels)
    assert figure.low is not None
    assert figure.low < _Z.mean() < (figure.high or 0)
    none = share_by_strata(Sample.of(_F, _S, np.zeros(60)), labels)
    assert 0 <= (none.low or 0) < (none.high or 0) < 0.1
    wider = share_by_strata(MANY, labels, target="population")
    assert wider.standard_error > figure.standard_error


def test_the_width_that_is_promised_takes_so_many_labels() -> None:
    figure = share(MANY, method="difference")
    half = (figure.high or 0) - figure.value
    assert labels_needed(figure, half, MANY.pool) == MANY.n
    assert half_width_with(figure, MANY.n, MANY.pool) == pytest.approx(half)
    assert half_width_with(figure, MANY.pool, MANY.pool) == 0
    assert (labels_needed(figure, half / 2, MANY.pool) or 0) > 2 * MANY.n
    assert labels_needed(figure, 0.0, MANY.pool) == MANY.pool


@pytest.mark.parametrize(
    ("change", "code"),
    [
        ({"belief": [1.2, np.inf]}, "belief"),
        ({"rows": [0, 0]}, "twice"),
        ({"rows": [0, 7]}, "not in the pool"),
        ({"outcomes": [1, np.nan]}, "outcome"),
        ({"rows": [0], "outcomes": [1]}, "1 labelled"),
        ({"strata": [0, 1, 2]}, "stratum"),
        ({"chances": [0.5, 0.0, 0.1]}, "chance"),
    ],
)
def test_an_impossible_sample_is_refused(change: dict[str, Any], code: str) -> None:
    sound: dict[str, Any] = {"belief": [0.1, 0.5, 1], "rows": [0, 1], "outcomes": [1, 0]}
    with pytest.raises(InputError, match=code):
        Sample.of(**(sound | change))


def test_the_value_of_a_rare_share_is_nearly_unbiased() -> None:
    """One of a hundred belongs, and a model that is right says so: five strata, seen in each."""
    random = np.random.default_rng(11)
    truth = (np.arange(3_000) % 100 == 0).astype(float)
    belief = np.clip(0.8 * truth + random.uniform(0, 0.45, 3_000), 0, 1)
    strata = np.minimum((belief * 5).astype(int), 4)
    values = []
    for _seed in range(100):
        rows = random.choice(3_000, 50, replace=False)
        figure = share_by_strata(Sample.of(belief, rows, truth[rows]), strata)
        assert figure.low is not None
        assert figure.high is not None
        assert figure.low <= figure.value <= figure.high
        values.append(figure.value)
    # The posterior's middle would be .015 and more, as each stratum has a prior of its own.
    assert np.mean(values) == pytest.approx(0.01, abs=0.005)


def test_people_alone_know_no_strata_of_a_model() -> None:
    strata = (_F > 0.5).astype(int)
    rows = np.concatenate([np.flatnonzero(strata == 0)[:10], np.flatnonzero(strata == 1)[:30]])
    sample = Sample.of(_F, rows, _Z[rows], strata=strata)
    alone = without_strata(sample)
    sizes = np.bincount(strata)
    assert alone.strata is None
    assert alone.chances is not None
    assert alone.chances[rows[[0, -1]]] == pytest.approx([10 / sizes[0], 30 / sizes[1]])
    assert share(alone, weight=0).value == pytest.approx(share(sample, weight=0).value)
    errors = [share(one, weight=0, unseen=0).standard_error for one in (alone, sample)]
    assert errors[0] > errors[1]
    assert without_strata(MANY) is MANY


def test_a_belief_that_is_the_same_of_all_costs_no_width_in_strata_either() -> None:
    random = np.random.default_rng(8)
    strata, values = np.arange(200) % 4, random.normal(size=200)
    for _ in range(30):
        rows = np.concatenate(
            [random.choice(np.flatnonzero(strata == s), 5, replace=False) for s in range(4)]
        )
        sample = Sample.of(np.full(200, 0.4), rows, _Z[rows], strata=strata)
        alone = mean_of_subset(without_strata(sample), values, weight=0.0)
        both = mean_of_subset(sample, values)
        if alone.width and both.width:
            assert both.width <= 1.05 * alone.width


def test_a_share_holds_where_a_model_errs_on_one_side() -> None:
    for case, found in shares_of_all_samples(0, 0, sizes=(50,)):
        assert float(found.split()[1].strip(",")) >= 0.93, case


@pytest.mark.parametrize(("n", "why"), [(150, "all 150 are equal"), (200, "the model's own")])
def test_labels_that_are_a_models_have_no_interval_of_both(n: int, why: str) -> None:
    codes = dict(enumerate("nnnmmf"))
    texts = {str(number): "" for number in range(200)}
    answers = [ModelAnswer(qid, codes[int(qid) % 6], None) for qid in texts]
    labels = {answer.qid: answer.category or "" for answer in answers[:n]}
    model = LabellingModel("a", "", "", answers)
    other = LabellingModel("b", "", "", [ModelAnswer(qid, "m", None) for qid in texts])
    categories = {code: (code,) for code in "nmf"}
    pool = LabelledPool.of(texts, labels, [other, model], categories, "n")
    assert any("Were the labels copied" in doubt for doubt in pool.doubts([]))
    for figure in pool.figures({"A": np.arange(200.0)}, baseline=""):
        assert figure.corrected is not None
        assert figure.corrected.low is None
        assert why in figure.corrected.withheld
        assert figure.best.low is not None


def test_what_is_withheld_says_how_many_more_labels_it_takes() -> None:
    outcomes = np.zeros(60)
    outcomes[:2] = 1
    figure = mean_of_subset(Sample.of(_F, _S, outcomes), MANY_VALUES)
    assert figure.withheld == (
        "2 of 60 labelled queries belong, and it takes 5: label about 90 more."
    )
    others = mean_of_subset(Sample.of(_F, _S, 1 - outcomes), MANY_VALUES)
    assert "2 of 60 labelled queries do not belong" in others.withheld


@pytest.mark.long
@pytest.mark.shared_data
@pytest.mark.parametrize("design", DESIGNS)
@pytest.mark.parametrize("right", [0.5, 0.95, 1.0])
def test_intervals_that_are_shown_hold_whatever_the_model_is_worth(
    design: str, right: float
) -> None:
    """The short form of `python -m measurements.few_labels_coverage --table good-models`."""
    pool = Pool(DATA)
    for category in CATEGORIES:
        held, given = coverage_of_shown(pool, design, category, right, 100, draws=50, seed=2)
        # Three figures of a sample: .95 less two standard errors of 50 samples.
        assert not given.any() or held @ given / given.sum() > 0.89, category


@pytest.mark.long
@pytest.mark.shared_data
def test_the_mean_of_a_rarer_category_holds_where_few_errors_make_its_variance() -> None:
    """With one error more than the sample shows instead of two, .91 of these hold."""
    pool = Pool(DATA)
    held = [
        coverage_of_shown(pool, design, category, 0.95, 300, draws=150, seed=7)[0][1]
        for design in DESIGNS
        for category in "mf"
    ]
    # .95 less two standard errors of 900 samples.
    assert np.mean(held) > 0.935
