"""What a budget buys as votes per query or as queries; expected numbers by hand."""

from decimal import Decimal
from typing import Any

import numpy as np
import pytest

from annotation.agreement.budget import budget_advice, purchases
from annotation.agreement.planning import voter_model
from metrics.errors import InputError
from tests.commands import run_json

SHARES = [0.8, 0.2]


def bought(budget: str, accuracy: float = 0.9, **terms: Any) -> Any:
    usual: dict[str, Any] = {"n_votes": (1, 3), "n_workers": 25, "deviation": 0.1, "n_pool": 1_000}
    return purchases(
        budget=Decimal(budget),
        price_per_vote=Decimal("0.10"),
        shares=SHARES,
        model=voter_model(SHARES, accuracy),
        **(usual | terms),
    )


def test_both_parts_of_the_error_are_those_by_hand() -> None:
    one, three = bought("30.00")
    assert (one.n_queries, three.n_queries) == (300, 100)
    assert (one.cost, three.cost) == (Decimal("30.00"), Decimal("30.00"))
    # .8 * .9 + .2 * .1, and with three votes .9^3 + 3 * .9^2 * .1 = .972 of the labels are right.
    assert (one.share, three.share) == (pytest.approx(0.74), pytest.approx(0.7832))
    assert one.off_by == pytest.approx(-0.06)
    assert one.by_queries == pytest.approx((0.74 * 0.26 / 300 * 0.7) ** 0.5)
    # The share moves by .8 - .2 with the accuracy, which differs by .1 between 25 workers.
    assert one.by_workers == pytest.approx(0.6 * 0.1 / 5)
    assert one.error == pytest.approx((0.06**2 + one.by_queries**2 + 0.012**2) ** 0.5)
    # Of three votes by 6 a (1 - a) = .54 as much.
    assert three.by_workers == pytest.approx(0.54 * one.by_workers, rel=1e-6)


def test_accurate_workers_make_queries_worth_more_and_others_votes() -> None:
    assert "More queries buy more" in budget_advice(bought("30.00", 0.99))
    assert "More votes per query buy more" in budget_advice(bought("60.00", 0.75))
    assert "Name several" in budget_advice(bought("30.00", n_votes=(3,)))


def test_a_budget_beyond_the_pool_leaves_no_error_by_queries() -> None:
    one, three = bought("300.00")
    assert (one.n_queries, three.n_queries) == (1_000, 1_000)
    assert (one.cost, one.by_queries) == (Decimal("100.00"), 0)
    assert "3 votes on each" in budget_advice([one, three])


def test_a_budget_that_buys_no_query_is_told() -> None:
    with pytest.raises(InputError, match="no query with 3 votes"):
        bought("0.20")


def test_the_errors_are_those_of_simulated_studies() -> None:
    rng, n = np.random.default_rng(5), 4_000
    (row,) = bought("30.00", n_votes=(3,))
    accuracy = 0.9 + rng.normal(0, 0.1 / 5, n)  # the mean over 25 workers
    is_of = rng.random((n, 1_000)) < 0.8
    picked = is_of[:, : row.n_queries]
    right = rng.random((n, row.n_queries, 3)) < np.minimum(accuracy, 1)[:, None, None]
    says = np.where(right.sum(axis=2) >= 2, picked, ~picked)
    off = says.mean(axis=1) - 0.8
    assert off.mean() == pytest.approx(row.off_by, abs=0.005)
    assert off.std() == pytest.approx((0.7832 * 0.2168 / 100 + row.by_workers**2) ** 0.5, rel=0.05)


@pytest.mark.django_db
def test_the_command_says_what_the_budget_buys() -> None:
    said = run_json("batch", "plan-votes", "--queries", "4000", "--budget", "300")
    assert [row["n_queries"] for row in said["budget"]] == [4_000, 3_333, 2_000]
    assert said["advice"].startswith("5 votes on each of 2,000 queries")
    assert "budget" not in run_json("batch", "plan-votes", "--queries", "4000")
