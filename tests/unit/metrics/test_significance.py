import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import stats

from metrics.errors import InputError
from metrics.statistics.significance import (
    bonferroni,
    bootstrap_interval,
    bootstrap_intervals,
    compare_all,
    correlation,
    effect_size,
    holm,
    paired_t_test,
    permutation_test,
)

A = [0.1, 0.4, 0.35, 0.8, 0.5, 0.2]
B = [0.0, 0.5, 0.15, 0.6, 0.45, 0.1]

p_values = st.lists(st.one_of(st.none(), st.floats(0, 1)), max_size=12)


def test_the_t_test_is_that_of_the_textbook() -> None:
    # Differences 0.1, -0.1, 0.2, 0.2, 0.05, 0.1: mean 0.55/6, t = mean / (sd / sqrt 6).
    differences = np.array([0.1, -0.1, 0.2, 0.2, 0.05, 0.1])
    expected = differences.mean() / (differences.std(ddof=1) / 6**0.5)

    found = paired_t_test(A, B)

    assert found is not None
    assert found[0] == pytest.approx(expected)
    assert found[1] == pytest.approx(2 * stats.t.sf(expected, df=5))


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


def test_the_same_seed_gives_the_same_numbers_and_another_seed_others() -> None:
    values = np.random.default_rng(2).normal(size=50)

    assert bootstrap_interval(values, seed=3) == bootstrap_interval(values, seed=3)
    assert bootstrap_interval(values, seed=3) != bootstrap_interval(values, seed=4)


def test_memory_is_cut_into_parts_without_losing_resamples() -> None:
    values = np.random.default_rng(2).normal(size=5_000)
    found = bootstrap_interval(values, resamples=2_000)

    # The standard error of the mean of 5,000 normal values is 1 / sqrt(5000) = 0.0141.
    assert found.low is not None
    assert found.high is not None
    assert found.high - found.low == pytest.approx(2 * 1.96 * 0.0141, rel=0.1)


def test_the_interval_covers_the_mean_at_its_level() -> None:
    rng = np.random.default_rng(5)
    covered = 0
    for seed in range(200):
        found = bootstrap_interval(rng.normal(0.3, 1, 40), resamples=500, seed=seed)
        assert found.low is not None
        assert found.high is not None
        covered += found.low <= 0.3 <= found.high

    assert 0.88 <= covered / 200 <= 0.99


def test_undefined_queries_are_left_out_in_pairs() -> None:
    with_gap = [*A, float("nan")]

    assert paired_t_test(with_gap, [*B, 0.3]) == pytest.approx(paired_t_test(A, B))
    assert bootstrap_interval(with_gap) == bootstrap_interval(A)


def test_without_anything_to_compare_the_numbers_are_undefined() -> None:
    assert bootstrap_interval([]).value is None
    assert paired_t_test([1], [2]) is None
    assert paired_t_test([0.3, 0.4], [0.1, 0.2]) is None  # no spread but for rounding
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
    (forward,), (backward,) = compare_all({"a": A, "b": B}), compare_all({"b": B, "a": A})

    assert forward.t is not None
    assert backward.t == pytest.approx(-forward.t)
    assert backward.t_p == pytest.approx(forward.t_p)
    assert backward.permutation_p == forward.permutation_p


def test_the_interval_of_a_difference_is_that_of_the_textbook() -> None:
    (pair,) = compare_all({"a": A, "b": B})
    differences = np.subtract(A, B)
    # The two-sided 95 % quantile of Student's t with 5 degrees of freedom, from the tables.
    half = 2.570582 * differences.std(ddof=1) / 6**0.5

    assert pair.low == pytest.approx(differences.mean() - half, abs=1e-6)
    assert pair.high == pytest.approx(differences.mean() + half, abs=1e-6)


def test_intervals_of_many_columns_are_those_of_each_by_itself() -> None:
    columns = [A, [*A, float("nan")], [1.0], [], B]

    together = bootstrap_intervals(columns, resamples=300, seed=5)

    assert together == [bootstrap_interval(one, resamples=300, seed=5) for one in columns]


def test_correlations_by_hand() -> None:
    # Ranks 1 2 3 4 against 1 3 2 4: rho = 1 - 6 * 2 / (4 * 15) = 0.8;
    # 5 of 6 pairs agree: tau = (5 - 1) / 6.
    found = correlation([1, 2, 3, 4], [10, 30, 20, 40])

    assert found.spearman == pytest.approx(0.8)
    assert found.kendall == pytest.approx(4 / 6)
    assert found.pearson == pytest.approx(0.8)


def test_lists_of_different_lengths_are_refused() -> None:
    with pytest.raises(InputError):
        paired_t_test([1, 2], [1])


def test_a_level_that_is_no_share_is_refused() -> None:
    with pytest.raises(InputError, match=r"\b95\b"):
        bootstrap_interval(A, level=95)
