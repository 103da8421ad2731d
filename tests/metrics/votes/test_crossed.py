"""Intervals for other queries and other workers."""

import numpy as np
import pytest

from measurements.worker_coverage import (
    RARE,
    Study,
    coverage,
    coverage_of_scales,
    drawn_votes,
    workers_drawn,
)
from measurements.worker_tables import SCALE_DESIGNS
from metrics.votes.coefficients import krippendorff_alpha, raw_agreement
from metrics.votes.crossed import BEYOND_CHANCE, SHARE, Design, crossed_spread
from metrics.votes.patterns import Patterns
from metrics.votes.table import Votes


def drawn(study: Study, seed: int = 0) -> Votes:
    rng = np.random.default_rng(seed)
    return drawn_votes(study, workers_drawn(study, rng), rng)


def alpha_of(table: Votes) -> float:
    patterns = Patterns.of(table.counts())
    return float(krippendorff_alpha(patterns, patterns.observed)[0])


def test_a_worker_is_left_out_as_if_they_had_never_voted() -> None:
    table = drawn(Study(60, 6, 5, shares=RARE))
    design = Design(table)
    terms, less = (krippendorff_alpha.terms(rows) for rows in (design.rows, design.rows_less))
    lost = terms[design.before] - less[design.after] * ~design.is_last[:, None]
    left_out = krippendorff_alpha.value(design.sizes @ terms - design.sums_of_workers(lost))
    plain = [alpha_of(table.kept(table.worker != worker)) for worker in range(6)]
    assert left_out == pytest.approx(plain)


def test_the_variance_of_a_mean_over_queries_is_the_textbook_one() -> None:
    """Raw agreement is a mean over queries: its variance is theirs over n, on the scale of a logit.

    Sample variance over n, as each query is a HIT of its own.
    """
    table = drawn(Study(200, 400, 1))
    spread = crossed_spread(Design(table), raw_agreement, SHARE)
    counts = table.counts()
    agreeing = (counts * (counts - 1)).sum(axis=1) / 6
    slope = 1 / (agreeing.mean() * (1 - agreeing.mean()))
    assert spread.queries == pytest.approx(agreeing.var(ddof=1) / 200 * slope**2, rel=1e-6)


def test_workers_who_are_alike_add_little_and_workers_who_differ_add_much() -> None:
    study = Study(2_000, 20, 10)
    rng = np.random.default_rng(3)
    alike = drawn_votes(study, np.full(20, 0.85), rng)
    differ = drawn_votes(study, np.linspace(0.6, 1, 20), rng)
    shares = [
        crossed_spread(Design(table), krippendorff_alpha, BEYOND_CHANCE).worker_share
        for table in (alike, differ)
    ]
    assert shares[0] < 0.5
    assert shares[1] > 0.9


def test_the_order_of_votes_and_the_numbers_of_hits_do_not_matter() -> None:
    table = drawn(Study(100, 10, 5))
    other = Votes(
        item=table.item[::-1],
        worker=(9 - table.worker)[::-1],
        answer=table.answer[::-1],
        items=table.items,
        workers=table.workers,
        options=table.labels,
        clusters=None if table.clusters is None else 100 - table.clusters,
    )
    one, two = (
        crossed_spread(Design(votes), krippendorff_alpha, BEYOND_CHANCE).ends()
        for votes in (table, other)
    )
    assert one == pytest.approx(two)


def test_votes_on_some_queries_only_and_single_votes_are_no_obstacle() -> None:
    table = drawn(Study(100, 10, 1))
    kept = table.kept((table.item > 5) & ((table.item > 20) | (np.arange(len(table)) % 3 == 0)))
    low, high = crossed_spread(Design(kept), krippendorff_alpha, BEYOND_CHANCE).ends()
    assert low < alpha_of(kept) < high


@pytest.mark.parametrize(
    ("study", "is_large_enough"),
    [
        (Study(50, 10, 10), True),
        (Study(40, 10, 8), False),
        (Study(49, 10, 1), False),
        # Five HITs are enough, four are not; three workers are, two are not.
        (Study(80, 10, 20), False),
        (Study(100, 10, 20), True),
        (Study(60, 3, 5), True),
        (Study(60, 2, 5, votes=2), False),
        # Of two votes each five workers are, four are not.
        (Study(60, 4, 5, votes=2), False),
        (Study(60, 5, 5, votes=2), True),
    ],
)
def test_so_many_queries_hits_and_workers_are_enough(study: Study, is_large_enough: bool) -> None:
    assert Design(drawn(study)).is_large_enough is is_large_enough


@pytest.mark.long
@pytest.mark.parametrize(
    "study",
    [
        Study(50, 10, 10),
        Study(100, 10, 5, shares=RARE),
        Study(400, 5, 1, votes=2),
        Study(400, 40, 10),
        Study(2_000, 20, 10),
    ],
)
def test_the_interval_holds_for_workers_drawn_anew(study: Study) -> None:
    found = coverage(study, studies=300, resamples=0)
    # Three standard errors around .93 to .97 are chance.
    assert 0.93 - 3 * 0.0147 <= found.all_by_both <= 0.97 + 3 * 0.0099


@pytest.mark.long
@pytest.mark.parametrize("study", SCALE_DESIGNS)
def test_the_interval_of_points_in_a_row_holds_for_workers_drawn_anew(study: Study) -> None:
    for held in coverage_of_scales(study, studies=300).values():
        assert held >= 0.95 - 3 * 0.0126


@pytest.mark.long
@pytest.mark.parametrize(("per_hit", "least"), [(1, 0.92), (10, 0.83)])
def test_resampling_queries_holds_for_these_workers_and_not_for_others(
    per_hit: int, least: float
) -> None:
    found = coverage(Study(400, 40, per_hit), studies=300)
    assert found.these_by_queries >= least
    assert found.all_by_queries < 0.85
