"""RaB and ARaB. The expected numbers were computed by hand from the definitions."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from metrics.errors import InputError
from metrics.measures import arab, rab

FEMALE = [0.0, 2.0, 1.0]
MALE = [1.0, 0.0, 4.0]


def test_rab_is_the_difference_of_the_mean_magnitudes() -> None:
    assert rab(FEMALE, MALE, 1) == pytest.approx(1)
    assert rab(FEMALE, MALE, 2) == pytest.approx(-1 / 2)
    assert rab(FEMALE, MALE, 3) == pytest.approx(2 / 3)


def test_arab_is_the_mean_of_rab_over_the_ranks() -> None:
    assert arab(FEMALE, MALE, 1) == pytest.approx(1)
    assert arab(FEMALE, MALE, 2) == pytest.approx((1 - 1 / 2) / 2)
    assert arab(FEMALE, MALE, 3) == pytest.approx((1 - 1 / 2 + 2 / 3) / 3)


@pytest.mark.parametrize("measure", [rab, arab])
def test_a_list_shorter_than_the_cutoff_is_averaged_over_what_it_has(measure: object) -> None:
    assert callable(measure)
    assert measure(FEMALE, MALE, 10) == measure(FEMALE, MALE, 3)
    padded = measure([*FEMALE, 9], [*MALE, 9], 4, present=[True, True, True, False])
    assert padded == measure(FEMALE, MALE, 3)


def test_a_skipped_document_leaves_numerator_and_denominator() -> None:
    present = [True, False, True]
    assert rab(FEMALE, MALE, 3, present) == pytest.approx((1 + 3) / 2)
    # RaB at ranks 1, 2, 3 is 1, 1, 2: the others keep their ranks.
    assert arab(FEMALE, MALE, 3, present) == pytest.approx((1 + 1 + 2) / 3)


def test_rab_is_defined_from_the_first_document_on() -> None:
    present = [False, True, True]
    # RaB at rank 1 does not exist; at ranks 2 and 3 it is -2 and (-2 + 3) / 2.
    assert np.isnan(rab(FEMALE, MALE, 1, present))
    assert arab(FEMALE, MALE, 3, present) == pytest.approx((-2 + 1 / 2) / 2)


@pytest.mark.parametrize("measure", [rab, arab])
def test_a_query_without_documents_is_undefined(measure: object) -> None:
    assert callable(measure)
    value = measure([[1.0], [1.0]], [[2.0], [2.0]], 5, present=[[False], [True]])
    assert np.isnan(value[0])
    assert value[1] == 1
    assert np.isnan(measure(np.empty((1, 0)), np.empty((1, 0)), 5)).all()


@pytest.mark.parametrize("measure", [rab, arab])
def test_bad_shapes_and_cutoffs_are_errors(measure: object) -> None:
    assert callable(measure)
    with pytest.raises(InputError, match=r"\b0\b"):
        measure([1], [1], 0)
    with pytest.raises(InputError):
        measure([1], [1, 2], 1)


MAGNITUDES = arrays(np.float64, (2, 4, 7), elements=st.floats(0, 50))
PRESENT = arrays(np.bool_, (4, 7))


@pytest.mark.long
@given(MAGNITUDES, PRESENT, st.integers(1, 9))
def test_swapping_the_genders_negates(
    magnitudes: np.ndarray, present: np.ndarray, cutoff: int
) -> None:
    female, male = magnitudes
    for measure in (rab, arab):
        straight = measure(female, male, cutoff, present)
        swapped = measure(male, female, cutoff, present)
        np.testing.assert_array_equal(straight, -swapped)


@pytest.mark.long
@given(MAGNITUDES, PRESENT, st.integers(1, 9), st.permutations(range(4)))
def test_the_order_of_the_queries_does_not_matter(
    magnitudes: np.ndarray, present: np.ndarray, cutoff: int, order: list[int]
) -> None:
    female, male = magnitudes
    for measure in (rab, arab):
        straight = measure(female, male, cutoff, present)
        permuted = measure(female[order], male[order], cutoff, present[order])
        np.testing.assert_array_equal(straight[order], permuted)


@pytest.mark.long
@given(MAGNITUDES, PRESENT, st.integers(1, 9))
def test_both_equal_a_plain_loop(magnitudes: np.ndarray, present: np.ndarray, cutoff: int) -> None:
    female, male = magnitudes
    for query in range(4):
        curve = []
        for rank in range(1, min(cutoff, 7) + 1):
            counted = [i for i in range(rank) if present[query, i]]
            if counted:
                difference = sum(male[query, i] - female[query, i] for i in counted)
                curve.append(difference / len(counted))
        # The list ends at its last document.
        last = max((i for i in range(7) if present[query, i]), default=-1)
        within = curve[: len(curve) - max(0, min(cutoff, 7) - 1 - last)]
        expected = (curve[-1], sum(within) / len(within)) if within else (np.nan, np.nan)
        found = [measure(female, male, cutoff, present)[query] for measure in (rab, arab)]
        np.testing.assert_allclose(found, expected, atol=1e-9)
