from decimal import Decimal

import numpy as np
import pytest

from annotation.batches.planning.votes import (
    assumed_spread,
    expect,
    pilot_spread,
    pilot_voter_model,
    voter_model,
)
from measurements.worker_coverage import Study, drawn_votes
from metrics.errors import InputError
from metrics.votes.agreeing import agree
from metrics.votes.table import Votes


def test_ties_errors_and_cost_of_two_categories() -> None:
    """By hand, two categories, accuracy 0.9: a tie of two votes 2 * .9 * .1 = .18, two wrong .01;
    of three votes at least two wrong .028."""
    rows = expect(
        n_queries=1_000, shares=[0.5, 0.5], model=voter_model([0.5, 0.5], 0.9),
        price_per_vote=Decimal("0.03"), resamples=200,
    )  # fmt: skip
    two, three, five = rows
    assert (two.ties, two.wrong) == pytest.approx((180, 10))
    assert (three.ties, three.wrong) == pytest.approx((0, 28))
    assert three.cost == Decimal("90.00")
    # Two votes, and a third where they differ: 2 + .18.
    assert three.adaptive_votes == pytest.approx(2_180)
    assert five.alpha_width < three.alpha_width < two.alpha_width  # type: ignore[operator]
    # By hand: observed disagreement .18, expected .5.
    assert three.alpha == pytest.approx(1 - 0.18 / 0.5, abs=0.01)


def test_three_way_ties_of_four_categories() -> None:
    shares = [0.25] * 4
    (row,) = expect(n_queries=1, shares=shares, model=voter_model(shares, 0.7), n_votes=[3],
                    resamples=10)  # fmt: skip
    # By hand: 6 * (.7 * .1 * .1 * 3 + .1 ** 3) = .132
    assert row.ties == pytest.approx(6 * (0.7 * 0.1 * 0.1 * 3 + 0.1**3))


def test_a_simulated_study_meets_the_expectation() -> None:
    rng = np.random.default_rng(0)
    shares = np.array([0.6, 0.2, 0.15, 0.05])
    model = voter_model(list(shares), 0.8)
    truth = rng.choice(4, 4_000, p=shares)
    votes = [
        (query, worker, rng.choice(4, p=model[true]))
        for query, true in enumerate(truth)
        for worker in range(3)
    ]
    table = Votes.of(*zip(*votes, strict=True))
    found = agree(table, resamples=200)
    (row,) = expect(n_queries=4_000, shares=shares, model=model, n_votes=[3])
    # Four standard deviations of a binomial.
    assert found.ties == pytest.approx(row.ties, abs=4 * row.ties**0.5)
    assert found.krippendorff_alpha.value == pytest.approx(row.alpha, abs=0.03)
    pilot_shares, pilot_model = pilot_voter_model(table)
    assert pilot_shares == pytest.approx(shares, abs=0.05)
    assert np.diag(pilot_model) == pytest.approx([0.8] * 4, abs=0.12)


@pytest.mark.long
def test_workers_who_differ_widen_the_interval_as_studies_show() -> None:
    """Standard deviation of alpha over 300 studies, by Student's t with 39 degrees of freedom."""
    rng = np.random.default_rng(0)
    study = Study(400, 40, 1)
    found = [
        agree(drawn_votes(study, np.clip(rng.normal(0.85, 0.05, 40), 0, 1), rng))
        for _ in range(300)
    ]
    deviation = np.std([one.krippendorff_alpha.value or 0 for one in found])
    model = voter_model([0.5, 0.5], 0.85)
    spread = assumed_spread([0.5, 0.5], model, 0.05)
    # By hand: alpha is (2a - 1)^2 and moves by 4 (2a - 1) = 2.8 times the accuracy.
    assert spread == pytest.approx(2.8 * 0.05)
    (row,) = expect(
        n_queries=400, shares=[0.5, 0.5], model=model, n_votes=[3], n_workers=40,
        worker_spread=spread,
    )  # fmt: skip
    assert row.alpha_width == pytest.approx(2 * 2.0227 * deviation, rel=0.15)
    right = np.linspace(0.7, 1, 40)
    pilot = pilot_spread(drawn_votes(Study(4_000, 40, 10), right, rng))
    assert pilot == pytest.approx(2.8 * right.std(ddof=1), rel=0.2)


def test_impossible_assumptions_are_refused() -> None:
    with pytest.raises(InputError):
        voter_model([0.5, 0.5], 1.5)
    with pytest.raises(InputError, match=r"0\.9"):
        voter_model([0.5, 0.4], 0.9)
    with pytest.raises(InputError):
        pilot_voter_model(Votes.of("a", "w", "n"))
