"""What a budget buys as votes per query or as queries; expected numbers by hand."""

from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from annotation.batches.planning.budget import budget_advice, purchases
from annotation.batches.planning.votes import expect, voter_model
from metrics.errors import InputError
from tests.annotation.test_models_of_any_question import TWO
from tests.any_batch import SHOPS, answered_batch
from tests.commands import failure, run_json

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
    with pytest.raises(InputError, match="do not pay for one query with 3 votes"):
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


#: Plans of a batch whose question has an option that is seldom.
PLAN = ("batch", "plan-votes", "--queries", "1000", "--accuracy", "0.9", "--votes", "1")


@pytest.fixture
def shops(tmp_path: Path) -> Path:
    path = tmp_path / "shops.yaml"
    path.write_text(SHOPS)
    return path


@pytest.mark.django_db
def test_votes_are_planned_for_the_options_of_a_scheme(shops: Path) -> None:
    terms = (*PLAN, "--scheme", shops, "--shares", ".5,.3,.2", "--budget", "1000")
    # Right with .9, and half of the other .1 falls on each other option.
    for category, expected in (
        ("", 0.3 * 0.9 + 0.7 * 0.05),
        ("may", 0.2 * 0.9 + 0.8 * 0.05),
        ("yes;may", 0.5 * 0.95 + 0.5 * 0.1),
    ):
        [row] = run_json(*terms, "--category", category)["budget"]
        assert row["share"] == pytest.approx(expected)


@pytest.mark.django_db
def test_two_questions_are_planned_by_name(tmp_path: Path) -> None:
    (tmp_path / "two.yaml").write_text(TWO)
    terms = (*PLAN, "--scheme", tmp_path / "two.yaml", "--shares", ".8,.2", "--budget", "1000")
    [row] = run_json(*terms, "--question", "tone", "--category", "rude")["budget"]
    assert row["share"] == pytest.approx(0.2 * 0.9 + 0.8 * 0.1)
    assert "Choose one of kind, rude" in failure(*terms, "--question", "tone")
    assert "--question: 'why' is not a question" in failure(*terms, "--question", "why")


@pytest.mark.django_db
def test_what_cannot_be_planned_names_the_option(shops: Path) -> None:
    terms = (*PLAN, "--scheme", shops)
    assert "--shares: Give a share for each of no, yes, may" in failure(*terms)
    assert "--shares: Give a share for each of n, f, m, o" in failure(*PLAN, "--shares", ".5,.5")
    wrong = ("--shares", ".5,.3,.2", "--category", "n")
    assert '--category: "n" is not a valid choice. Choose one of no, yes, may' in failure(
        *terms, *wrong
    )


@pytest.mark.django_db
def test_the_votes_of_a_pilot_are_those_on_its_question(tmp_path: Path) -> None:
    batch = answered_batch("three questions")
    terms = (*PLAN, "--pilot", batch.name, "--budget", "1000", "--category")
    [row] = run_json(*terms, "yes")["budget"]
    [other] = run_json(*terms, "no")["budget"]
    assert row["share"] + other["share"] == pytest.approx(1)
    assert "--question: 'harm' is not a question" in failure(*terms, "yes", "--question", "harm")


def test_more_ways_than_can_be_listed_are_refused() -> None:
    shares = [1 / 50] * 50
    model = voter_model(shares, 0.9)
    assert expect(n_queries=10, shares=shares, model=model, n_votes=(2, 3), resamples=10)
    with pytest.raises(InputError, match="50 options in too many ways"):
        expect(n_queries=10, shares=shares, model=model, n_votes=(5,))
