from random import Random

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from annotation.reports.bundle.second_alpha import krippendorff_alpha
from metrics.votes import coefficients
from metrics.votes.patterns import Patterns
from metrics.votes.table import Counts
from tests.metrics.votes.data import FLEISS_WIKIPEDIA, KRIPPENDORFF_2011


def value(name: str, counts: Counts, **options: int) -> float:
    patterns = Patterns.of(counts)
    coefficient = getattr(coefficients, name)
    if options:
        coefficient = coefficient(**options)
    return float(coefficient(patterns, patterns.observed)[0])


def test_alpha_of_krippendorffs_own_example() -> None:
    # 0.743: Krippendorff 2011, part C, nominal.
    assert krippendorff_alpha(KRIPPENDORFF_2011) == pytest.approx(0.743, abs=5e-4)
    assert value("krippendorff_alpha", KRIPPENDORFF_2011) == pytest.approx(0.74342, abs=5e-6)


def test_kappa_and_ac1_of_gwets_example_with_missing_votes() -> None:
    # 0.81818, 0.76117 and 0.77544: irrCAC's documentation for cac.raw4raters
    # (pa.coeff.raw, fleiss.kappa.raw, gwet.ac1.raw).
    assert value("raw_agreement", KRIPPENDORFF_2011) == pytest.approx(0.81818, abs=5e-6)
    assert value("fleiss_kappa", KRIPPENDORFF_2011) == pytest.approx(0.76117, abs=5e-6)
    assert value("gwet_ac1", KRIPPENDORFF_2011, n_categories=5) == pytest.approx(0.77544, abs=5e-6)


def test_fleiss_kappa_of_the_textbook_example() -> None:
    # 0.378 and 0.210: the article's own working.
    assert value("raw_agreement", FLEISS_WIKIPEDIA) == pytest.approx(0.378, abs=5e-4)
    assert value("fleiss_kappa", FLEISS_WIKIPEDIA) == pytest.approx(0.210, abs=5e-4)


def test_a_prevalent_category_makes_alpha_collapse_and_ac1_not() -> None:
    """95 unanimous and 5 split queries; by hand: raw 1 - 5 * (2/3) / 100 = 0.9667."""
    prevalent = np.array([[3, 0]] * 95 + [[2, 1]] * 5)
    balanced = np.array([[3, 0]] * 48 + [[0, 3]] * 47 + [[2, 1]] * 3 + [[1, 2]] * 2)
    assert value("raw_agreement", prevalent) == pytest.approx(0.96667, abs=5e-6)
    assert value("raw_agreement", balanced) == pytest.approx(0.96667, abs=5e-6)
    # By hand: 1 - 299 * (10/1) ... = 1 - 299 * 10 / (300^2 - 295^2 - 5^2) = -0.01356
    assert value("krippendorff_alpha", prevalent) == pytest.approx(1 - 299 * 10 / 2950)
    assert value("krippendorff_alpha", balanced) == pytest.approx(0.934, abs=5e-4)
    assert value("gwet_ac1", prevalent, n_categories=2) > 0.96


def test_specific_agreement_of_two_raters_is_the_dice_coefficient() -> None:
    # By hand: both say yes 40 times, one of two 10 times, both no 50 times: 80/90 and 100/110.
    counts = np.array([[2, 0]] * 40 + [[1, 1]] * 10 + [[0, 2]] * 50)
    patterns = Patterns.of(counts)
    found = coefficients.specific_agreement(patterns, patterns.observed)[0]
    assert found == pytest.approx([80 / 90, 100 / 110])


def test_confusion_says_what_a_category_is_taken_for() -> None:
    # By hand: beside a vote for a stand two votes, in 2-1 queries one of the three pairs.
    counts = np.array([[3, 0, 0]] * 2 + [[2, 0, 1]] * 1)
    patterns = Patterns.of(counts)
    found = coefficients.confusion(patterns, patterns.observed)[0]
    assert found[0] == pytest.approx([7 / 8, 0, 1 / 8])
    assert found[2] == pytest.approx([1, 0, 0])
    assert np.isnan(found[1]).all()


def test_vote_patterns_are_named_by_their_shape() -> None:
    counts = np.array([[3, 0, 0], [0, 3, 0], [2, 1, 0], [1, 1, 1], [0, 1, 0], [0, 0, 0]])
    patterns = Patterns.of(counts)
    names = {
        name: int(patterns.sizes[those].sum())
        for name, those in coefficients.vote_patterns(patterns)
    }
    assert names == {"3-0": 2, "1-0": 1, "1-1-1": 1, "2-1": 1}


@pytest.mark.parametrize(
    "counts",
    [
        np.zeros((3, 4), dtype=int),
        np.array([[1, 0], [0, 1]]),
        np.array([[3, 0], [3, 0]]),
        np.zeros((0, 4), dtype=int),
    ],
    ids=["no votes", "single votes", "all votes equal", "no queries"],
)
def test_alpha_is_undefined_not_a_crash(counts: Counts) -> None:
    assert krippendorff_alpha(counts) is None
    assert np.isnan(value("krippendorff_alpha", counts))


small_counts = hnp.arrays(
    np.int64, st.tuples(st.integers(1, 12), st.integers(2, 4)), elements=st.integers(0, 4)
)


@given(small_counts)
def test_the_closed_form_equals_the_package(counts: Counts) -> None:
    expected = krippendorff_alpha(counts)
    found = value("krippendorff_alpha", counts)
    if expected is None:
        assert np.isnan(found)
    else:
        assert found == pytest.approx(expected, abs=1e-9)


@given(small_counts, st.randoms())
def test_agreement_ignores_the_order_of_queries_and_categories(
    counts: Counts, random: Random
) -> None:
    rows = random.sample(range(counts.shape[0]), counts.shape[0])
    columns = random.sample(range(counts.shape[1]), counts.shape[1])
    shuffled = counts[rows][:, columns]
    for name in ("raw_agreement", "krippendorff_alpha", "fleiss_kappa"):
        assert value(name, shuffled) == pytest.approx(value(name, counts), abs=1e-9, nan_ok=True)


@given(small_counts)
def test_raw_agreement_equals_a_count_of_pairs(counts: Counts) -> None:
    shares = []
    for row in counts:
        votes = [label for label, n in enumerate(row) for _ in range(n)]
        pairs = [(a, b) for i, a in enumerate(votes) for b in votes[:i]]
        if pairs:
            shares.append(sum(a == b for a, b in pairs) / len(pairs))
    expected = np.mean(shares) if shares else np.nan
    assert value("raw_agreement", counts) == pytest.approx(expected, nan_ok=True)


@given(small_counts)
def test_patterns_are_the_different_rows_in_order(counts: Counts) -> None:
    patterns = Patterns.of(counts)
    voted = [tuple(row) for row in counts.tolist() if any(row)]
    assert [tuple(row) for row in patterns.rows] == sorted(set(voted))
    assert patterns.sizes.tolist() == [voted.count(row) for row in sorted(set(voted))]


def test_rows_too_large_for_one_number_are_told_apart_too() -> None:
    counts = np.full((3, 40), 7)
    counts[1, 0] = 8
    patterns = Patterns.of(counts)
    assert patterns.sizes.tolist() == [2, 1]
