"""What must hold for any ranking."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from numpy.typing import NDArray

from metrics.measures import awrf, fairr, nfairr, ted, texfair

Counts = NDArray[np.int64]

_shapes = st.tuples(st.integers(1, 6), st.integers(1, 12))


@st.composite
def rankings(draw: st.DrawFn, groups: int = 2) -> tuple[list[Counts], Counts]:
    """Counts of group words per group (Q, T), and lengths that are not shorter than their sum."""
    shape = draw(_shapes)
    counts = [draw(hnp.arrays(np.int64, shape, elements=st.integers(0, 5))) for _ in range(groups)]
    other = draw(hnp.arrays(np.int64, shape, elements=st.integers(1, 30)))
    return counts, other + sum(counts)


@pytest.mark.long
@given(rankings(), st.integers(1, 15))
def test_values_stay_in_their_ranges(ranking: tuple[list[Counts], Counts], cutoff: int) -> None:
    counts, tokens = ranking
    female, male = counts
    most = fairr(np.zeros(20), np.zeros(20), cutoff)

    assert (fairr(female, male, cutoff) <= most + 1e-12).all()
    assert (fairr(female, male, cutoff) >= 0).all()
    for rbdf in (True, False):
        assert (ted(counts, tokens, cutoff, rbdf=rbdf) >= 0).all()
        assert (texfair(counts, tokens, cutoff, rbdf=rbdf) >= -1e-12).all()
        assert (texfair(counts, tokens, cutoff, rbdf=rbdf) <= 1).all()
    for distance in ("tv", "js", "kl", "absolute"):
        value = awrf(counts, cutoff, distance=distance)
        assert ((value >= 0) & (value <= 1 + 1e-12)).all()


@given(rankings(), st.integers(1, 15))
def test_swapping_the_groups_changes_no_measure_of_fairness(
    ranking: tuple[list[Counts], Counts], cutoff: int
) -> None:
    (female, male), tokens = ranking

    assert fairr(female, male, cutoff) == pytest.approx(fairr(male, female, cutoff))
    assert texfair([female, male], tokens, cutoff) == pytest.approx(
        texfair([male, female], tokens, cutoff)
    )
    assert awrf([female, male], cutoff) == pytest.approx(awrf([male, female], cutoff))


@given(rankings(), st.integers(1, 15))
def test_a_query_is_measured_alone(ranking: tuple[list[Counts], Counts], cutoff: int) -> None:
    counts, tokens = ranking
    backwards = [group[::-1] for group in counts]

    assert texfair(backwards, tokens[::-1], cutoff)[::-1] == pytest.approx(
        texfair(counts, tokens, cutoff)
    )
    assert awrf(backwards, cutoff)[::-1] == pytest.approx(awrf(counts, cutoff))


@given(rankings(), st.integers(1, 15))
def test_reordering_the_background_itself_never_exceeds_its_ideal(
    ranking: tuple[list[Counts], Counts], cutoff: int
) -> None:
    (female, male), _ = ranking
    value = nfairr(female, male, cutoff, background=(female, male))

    assert ((value <= 1 + 1e-12) | np.isnan(value)).all()


@given(rankings(), st.integers(1, 14))
def test_fairr_never_falls_with_the_cutoff(
    ranking: tuple[list[Counts], Counts], cutoff: int
) -> None:
    (female, male), _ = ranking

    assert (fairr(female, male, cutoff + 1) >= fairr(female, male, cutoff) - 1e-12).all()


@given(rankings(), st.integers(1, 15))
def test_proportionality_only_brings_ted_down(
    ranking: tuple[list[Counts], Counts], cutoff: int
) -> None:
    counts, tokens = ranking

    assert (ted(counts, tokens, cutoff) <= ted(counts, tokens, cutoff, rbdf=False) + 1e-12).all()


@given(rankings(groups=3), st.integers(1, 15))
def test_three_groups_reach_at_most_four_thirds(
    ranking: tuple[list[Counts], Counts], cutoff: int
) -> None:
    counts, tokens = ranking
    value = texfair(counts, tokens, cutoff)

    assert ((value >= -1e-12) & (value <= 4 / 3 + 1e-12)).all()
