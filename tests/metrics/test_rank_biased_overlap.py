"""Rank-biased overlap, against a public program, brute force, and what must hold."""

import itertools
from collections.abc import Sequence

import pytest
from hypothesis import given
from hypothesis import strategies as st

from metrics.errors import InputError
from metrics.measures.rank_biased_overlap import rbo

# RBO_ext as computed by the package `rbo` 0.1.3 of the Python Package Index (`rbo_ext`), which
# cannot be installed beside the NumPy of this project.
PUBLIC = [
    ([1, 2, 3, 4, 5, 6, 7], [1, 3, 2, 4, 5, 7, 6, 8], 0.9, 0.9451585000000001),
    (
        [13, 6, 12, 0, 4, 8, 7, 3, 2, 11],
        [5, 9, 3, 8, 2, 4, 12, 6, 0, 10],
        0.9,
        0.3770277244071429,
    ),
    (
        [13, 6, 12, 0, 4, 8, 7, 3, 2, 11],
        [5, 9, 3, 8, 2, 4, 12, 6, 0, 10],
        0.7,
        0.0890734584833333,
    ),
    ([12, 2, 8, 7, 1], [1, 5, 8, 7, 13, 4, 11, 12, 0, 10], 0.9, 0.50661372915),
    ([12, 2, 8, 7, 1], [1, 5, 8, 7, 13, 4, 11, 12, 0, 10], 0.7, 0.2535552472833333),
    ([5, 8, 3, 9, 12, 4, 7, 0, 10, 11], [5, 9, 3, 4, 2, 11], 0.9, 0.7254430489),
    ([13], [2, 0, 9, 10, 4, 7, 1, 12, 5, 8], 0.9, 0.0),
]

rankings = st.lists(st.integers(0, 12), unique=True, max_size=10)
persistence = st.floats(0.1, 0.9)


@pytest.mark.parametrize(("first", "second", "p", "expected"), PUBLIC)
def test_the_extrapolated_value_is_that_of_a_public_program(
    first: list[int], second: list[int], p: float, expected: float
) -> None:
    assert rbo(first, second, p).ext == pytest.approx(expected, abs=1e-12)


def overlap_to(first: Sequence[int], second: Sequence[int], p: float, depth: int) -> float:
    """RBO by its definition, equation 4, over `depth` ranks."""
    total = 0.0
    for d in range(1, depth + 1):
        total += p ** (d - 1) * len(set(first[:d]) & set(second[:d])) / d
    return (1 - p) * total


@given(rankings, rankings, persistence)
def test_the_truncated_form_is_the_definition_over_the_ranks_that_were_seen(
    first: list[int], second: list[int], p: float
) -> None:
    if not first or not second:
        return
    depth = max(len(first), len(second))
    assert rbo(first, second, p).trunc == pytest.approx(overlap_to(first, second, p, depth))


def test_identical_lists_have_the_weight_of_their_ranks_in_the_truncated_form() -> None:
    assert rbo(range(10), range(10), 0.9).trunc == pytest.approx(1 - 0.9**10)


@pytest.mark.long
@given(rankings, rankings, persistence)
def test_the_bounds_are_reached_by_the_worst_and_the_best_continuation(
    first: list[int], second: list[int], p: float
) -> None:
    if not first or not second:
        return
    depth = 600  # 0.9 ** 600 is below 1e-27
    worst = overlap_to(first, second, p, depth)
    # What one list has and the other lacks follows first; then both name the same new items.
    new = list(range(1000, 1000 + depth))
    best = overlap_to(
        [*first, *(x for x in second if x not in first), *new],
        [*second, *(x for x in first if x not in second), *new],
        p,
        depth,
    )

    found = rbo(first, second, p)

    assert found.min == pytest.approx(worst, abs=1e-9)
    assert found.min + found.res == pytest.approx(best, abs=1e-9)
    assert found.min - 1e-9 <= found.ext <= found.min + found.res + 1e-9


@given(rankings, rankings, persistence)
def test_overlap_is_symmetric(first: list[int], second: list[int], p: float) -> None:
    assert rbo(first, second, p) == pytest.approx(rbo(second, first, p))


@given(rankings, persistence)
def test_a_ranking_overlaps_itself_entirely(ranking: list[int], p: float) -> None:
    assert rbo(ranking, ranking, p).ext == pytest.approx(1)


def test_a_swap_lower_down_costs_less() -> None:
    swaps = [list(range(10)) for _ in range(9)]
    for place, ranking in enumerate(swaps):
        ranking[place], ranking[place + 1] = ranking[place + 1], ranking[place]

    values = [rbo(range(10), ranking).ext for ranking in swaps]

    assert all(above < below for above, below in itertools.pairwise(values))


def test_by_hand() -> None:
    # a b c against a c b, p = 1/2: agreement 1, 1/2, 1 at depths 1 to 3.
    # ext = (1/2)(1 * 1 + 1/2 * 1/2 + 1/4 * 1) + (1/2)^3 * 1 = 0.75 + 0.125 = 0.875.
    assert rbo([*"abc"], [*"acb"], 0.5).ext == pytest.approx(0.875)


def test_disjoint_and_empty_rankings() -> None:
    assert rbo([*"ab"], [*"cd"]).ext == 0
    assert rbo([*""], [*""]).ext == 1
    assert rbo([*""], [*"ab"]).ext == 0


def test_depth_cuts_both_rankings() -> None:
    assert rbo([*"abcd"], [*"abdc"], depth=2).ext == pytest.approx(1)


@pytest.mark.parametrize(
    ("arguments", "data"),
    [
        (("ab", "ab", 1.0), "1.0"),
        (("ab", "ab", 0.0), "0.0"),
        (("ab", "ab", 1e-320), "1e-320"),
        (("aa", "ab", 0.9), ""),
        (("ab", "ab", 0.9, 0), "0"),
    ],
)
def test_what_cannot_be_compared_is_refused(arguments: tuple[str, str, float], data: str) -> None:
    with pytest.raises(InputError) as caught:
        rbo(*arguments)
    assert data in str(caught.value)


def test_one_rank_is_a_depth_and_none_is_not() -> None:
    assert rbo([*"abc"], [*"acb"], depth=1).ext == 1
    assert rbo([*"abc"], [*"bac"], depth=1).ext == 0
    with pytest.raises(InputError, match="depth"):
        rbo([*"abc"], [*"acb"], depth=0)
