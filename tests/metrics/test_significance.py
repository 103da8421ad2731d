import tracemalloc

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from measurements.interval_coverage import SHAPES, coverage, given_coverage
from metrics.errors import InputError
from metrics.statistics import significance
from metrics.statistics.correlations import correlation
from metrics.statistics.significance import (
    bonferroni,
    compare_all,
    effect_size,
    holm,
    mean_interval,
    paired_t_test,
    permutation_test,
)

A = [0.1, 0.4, 0.35, 0.8, 0.5, 0.2]
B = [0.0, 0.5, 0.15, 0.6, 0.45, 0.1]
#: The same six times: enough queries for a t-test.
MANY_A, MANY_B = A * 6, B * 6

p_values = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12)


def test_the_t_test_is_that_of_the_textbook() -> None:
    # Differences 0.1, -0.1, 0.2, 0.2, 0.05, 0.1: mean 0.55/6, t = mean / (sd / sqrt 6).
    differences = np.array([0.1, -0.1, 0.2, 0.2, 0.05, 0.1] * 6)
    expected = differences.mean() / (differences.std(ddof=1) / 6)

    found = paired_t_test(MANY_A, MANY_B)

    assert found is not None
    assert found[0] == pytest.approx(expected)
    assert found[1] == pytest.approx(2 * stats.t.sf(expected, df=35))


def test_the_effect_size_is_mean_over_spread_of_the_differences() -> None:
    differences = np.array(A) - np.array(B)

    assert effect_size(A, B) == pytest.approx(differences.mean() / differences.std(ddof=1))


def test_few_queries_are_permuted_exactly() -> None:
    # Differences 1, 2, 4: of the 8 sign flips only +++ and --- reach |7|: p = 2/8.
    assert permutation_test([1, 2, 4], [0, 0, 0]) == 0.25
    # Differences 1, -1: every flip sums to 2, 0, 0 or -2, all at least as far as 0: p = 1.
    assert permutation_test([1, 0], [0, 1]) == 1


def test_equal_sums_in_another_order_count_as_far() -> None:
    # 0.1 + 0.2 + 0.3 is not exactly 0.3 + 0.2 + 0.1 in binary; p must still be 2/8.
    assert permutation_test([0.1, 0.2, 0.3], [0, 0, 0]) == 0.25


def test_many_queries_are_permuted_at_random_close_to_the_t_test_and_never_to_zero() -> None:
    rng = np.random.default_rng(1)
    a, b = rng.normal(0.1, 1, 200), rng.normal(0, 1, 200)
    t_test = paired_t_test(a, b)

    assert t_test is not None
    assert permutation_test(a, b) == pytest.approx(t_test[1], abs=0.02)
    assert permutation_test(a + 10, b) == pytest.approx(1 / 10_001)


def test_an_interval_is_that_of_students_t() -> None:
    values = np.random.default_rng(2).normal(size=43)
    found = mean_interval(values, level=0.9)
    expected = stats.t.interval(0.9, 42, loc=values.mean(), scale=stats.sem(values))

    assert (found.low, found.high) == pytest.approx(expected, abs=1e-12)
    assert found.value == pytest.approx(values.mean())


@pytest.mark.parametrize(
    "values",
    [
        *([0.3], [0.25] * 50, [0.1 + 0.2, 0.3] * 20),
        # One query too few, and one value too few that is not 0.
        *([0.1, 0.4] * 14 + [0.2], [0.0] * 50 + [0.1 * n for n in range(1, 15)]),
    ],
)
def test_without_enough_queries_or_spread_there_is_no_interval_and_no_t_test(
    values: list[float],
) -> None:
    found, (pair,) = mean_interval(values), compare_all({"a": values, "b": [0.0] * len(values)})

    assert (found.low, found.high, found.n) == (None, None, len(values))
    assert found.value == pair.difference == pytest.approx(np.mean(values))
    assert (pair.low, pair.t, pair.t_p) == (None, None, None)
    [pair] = compare_all({"a": values, "b": [0.0] * len(values)}, margin=1.0)
    assert pair.equivalence_p is None


@pytest.mark.parametrize("values", [[0.1, 0.4] * 15, [0.0] * 50 + [0.1 * n for n in range(1, 16)]])
def test_as_many_as_it_takes_are_enough(values: list[float]) -> None:
    (pair,) = compare_all({"a": values, "b": [0.0] * len(values)})

    assert mean_interval(values).low == pytest.approx(pair.low)
    assert paired_t_test(values, [0.0] * len(values)) == (pair.t, pair.t_p)


@pytest.mark.parametrize("shape", [name for name in SHAPES if not name.startswith("lognormal")])
@pytest.mark.parametrize(("zeros", "n"), [(0.0, 30), (0.5, 54), (0.8, 100)])
def test_intervals_that_are_given_hold(shape: str, zeros: float, n: int) -> None:
    held, given = given_coverage(shape, zeros, n, 1_000)

    assert given > 0.8
    assert held > 0.9


@pytest.mark.parametrize(("n", "least"), [(30, 0.93), (54, 0.93)])
def test_the_interval_covers_the_mean_of_values_with_many_zeros(n: int, least: float) -> None:
    assert least <= coverage("Student's t", n, 2_000, is_signed=True) <= 0.98


def test_undefined_queries_are_left_out_in_pairs() -> None:
    with_gap = [*MANY_A, float("nan")]

    assert paired_t_test(with_gap, [*MANY_B, 0.3]) == pytest.approx(paired_t_test(MANY_A, MANY_B))
    assert mean_interval([*range(30), float("nan")]) == mean_interval(range(30))


def test_without_anything_to_compare_the_numbers_are_undefined() -> None:
    assert mean_interval([]).value is None
    assert paired_t_test([1], [2]) is None
    assert paired_t_test([0.3, 0.4] * 15, [0.1, 0.2] * 15) is None  # no spread but for rounding
    assert permutation_test([], []) is None
    assert correlation([1, 1, 1], [1, 2, 3]).pearson is None


@given(p_values)
def test_holm_lies_between_the_plain_values_and_bonferroni(values: list[float | None]) -> None:
    for plain, step, all_at_once in zip(values, holm(values), bonferroni(values), strict=True):
        if plain is None:
            assert step is None
            assert all_at_once is None
        else:
            assert step is not None
            assert all_at_once is not None
            assert plain <= step <= all_at_once <= 1


def test_holm_by_hand() -> None:
    # Sorted: 0.01 x 4 = 0.04; 0.02 x 3 = 0.06; 0.03 x 2 = 0.06; 0.5 x 1.
    assert holm([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.06, 0.04, 0.5, 0.06])
    assert bonferroni([0.03, 0.01, 0.5, 0.02]) == pytest.approx([0.12, 0.04, 1, 0.08])


def test_all_pairs_of_systems_are_corrected_together() -> None:
    rng = np.random.default_rng(7)
    values = {"a": rng.normal(0, 1, 60), "b": rng.normal(0.5, 1, 60), "c": rng.normal(0, 1, 60)}

    found = compare_all(values)

    assert [(pair.first, pair.second) for pair in found] == [("a", "b"), ("a", "c"), ("b", "c")]
    for pair in found:
        assert pair.t_p is not None
        assert pair.t_p_bonferroni == pytest.approx(min(1, 3 * pair.t_p))
        assert pair.difference == pytest.approx((values[pair.first] - values[pair.second]).mean())
    assert [pair.permutation_p for pair in found] == [
        permutation_test(values[pair.first], values[pair.second]) for pair in found
    ]


def test_swapping_the_systems_turns_the_signs_only() -> None:
    (forward,) = compare_all({"a": MANY_A, "b": MANY_B})
    (backward,) = compare_all({"b": MANY_B, "a": MANY_A})

    assert forward.t is not None
    assert backward.t == pytest.approx(-forward.t)
    assert backward.t_p == pytest.approx(forward.t_p)
    assert backward.permutation_p == forward.permutation_p


def test_the_interval_of_a_difference_is_that_of_the_textbook() -> None:
    (pair,) = compare_all({"a": MANY_A, "b": MANY_B})
    differences = np.subtract(MANY_A, MANY_B)
    # The two-sided 95 % quantile of Student's t with 35 degrees of freedom, from the tables.
    half = 2.030108 * differences.std(ddof=1) / 6

    assert pair.low == pytest.approx(differences.mean() - half, abs=1e-6)
    assert pair.high == pytest.approx(differences.mean() + half, abs=1e-6)


def test_correlations_by_hand() -> None:
    # Ranks 1 2 3 4 against 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15) = 0.8;
    # 5 of 6 pairs agree: tau = (5 - 1) / 6.
    found = correlation([1, 2, 3, 4], [10, 30, 20, 40])

    assert found.spearman == pytest.approx(0.8)
    assert found.kendall == pytest.approx(4 / 6)
    assert found.pearson == pytest.approx(0.8)


@pytest.mark.long
@pytest.mark.parametrize(("n", "p"), [(3, 1 / 3), (4, 1 / 12), (5, 1 / 60), (9, 2 / 362_880)])
def test_runs_in_one_order_are_as_rare_as_their_number_says(n: int, p: float) -> None:
    found = correlation(range(n), range(n))

    assert (found.spearman_p, found.kendall_p) == pytest.approx((p, p), abs=1e-12)


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_p_values_of_few_pairs_are_those_of_all_orders(seed: int) -> None:
    a, b = np.random.default_rng(seed).integers(4, size=(2, 7)).astype(float)

    found = correlation(a, b)

    for p, test in (
        (found.pearson_p, stats.pearsonr),
        (found.spearman_p, stats.spearmanr),
        (found.kendall_p, stats.kendalltau),
    ):
        expected = stats.permutation_test(
            (b,),
            lambda one, test=test: abs(test(a, one).statistic),
            permutation_type="pairings",
            alternative="greater",
        )
        assert p == pytest.approx(expected.pvalue)


def test_p_values_of_more_pairs_come_near_those_of_the_tests() -> None:
    draw = np.random.default_rng(4)
    a = draw.normal(size=30)
    b = 0.4 * a + draw.normal(size=30)

    found = correlation(a, b)

    assert found.spearman_p == pytest.approx(stats.spearmanr(a, b).pvalue, abs=0.01)
    assert found.kendall_p == pytest.approx(stats.kendalltau(a, b).pvalue, abs=0.01)
    assert found == correlation(a, b)
    assert correlation(a, b, tested=False).spearman_p is None
    assert correlation([1, 2], [1, 2]).spearman_p is None


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError):
        paired_t_test([1, 2], [1])


def test_a_level_that_is_no_share_is_refused() -> None:
    with pytest.raises(InputError, match=r"\b95\b"):
        mean_interval(A, level=95)


def test_a_hundred_systems_are_compared_in_little_memory() -> None:
    rng = np.random.default_rng(3)
    differences = [rng.normal(size=54) for _ in range(4_950)]

    tracemalloc.start()
    p_values = significance._permutation_tests(differences, 2_000, 0)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()

    assert len(p_values) == 4_950
    assert peak < 30e6
