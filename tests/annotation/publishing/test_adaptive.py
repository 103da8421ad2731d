"""Two votes first, a third where they differ, over a live crowd service."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError
from django.db import IntegrityError, transaction

from annotation.batches.queries.adaptive import queries_to_ask
from annotation.models import HIT, AdaptivePolicy, Assignment, Batch, Vote
from tests.annotation.publishing.conftest import MakeBatch
from tests.commands import run_json

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


def answer_round(tmp_path: Path, *, seed: int, workers: int = 4) -> None:
    """Simulated workers answer what is out."""
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"q{n},query number {n},n\n" for n in range(6)))
    run_json("batch", "publish", "b", "--yes")
    run_json(
        "batch", "simulate", "b", "--truth", truth, "--seed", str(seed),
        "--workers", str(workers), "--accuracy", "1",
    )  # fmt: skip
    run_json("batch", "collect", "b")


def disagree(batch: Batch, *qids: str) -> None:
    """One of the two who voted saw these queries otherwise."""
    for qid in qids:
        vote = Vote.objects.filter(query__batch=batch, query__qid=qid).earliest("id")
        vote.choices.update(option="f")


@pytest.mark.long
def test_only_queries_on_which_two_differ_are_asked_again(
    make_batch: MakeBatch, tmp_path: Path
) -> None:
    batch = make_batch(assignments_per_hit=2)
    run_json("batch", "begin-adaptive", "b", "--full-share", "0")
    answer_round(tmp_path, seed=1)
    disagree(batch, "q1", "q4", "q5")

    planned = run_json("batch", "plan-round", "b")
    # Three queries, two on a HIT, one vote each; the voters of round one may not take them.
    voters = set(Vote.objects.values_list("worker__worker_id", flat=True))
    assert planned == {"name": "b", "hits": 2, "queries": 3, "votes": 3, "kept_out": len(voters)}
    assert run_json("batch", "plan-round", "b")["hits"] == 0

    with pytest.raises(CommandError, match=r"0 of 2 .*\s.*--seed"):
        answer_round(tmp_path, seed=1, workers=2)
    answer_round(tmp_path, seed=1)
    third = Assignment.objects.filter(hit__max_assignments=1)
    assert third.count() == 2
    assert not voters & set(third.values_list("worker__worker_id", flat=True))
    assert run_json("batch", "plan-round", "b")["hits"] == 0
    assert run_json("label", "decide", "b")["labels"]["n"] == 6

    found = run_json("batch", "adaptive-report", "b")
    assert (found["votes"], found["votes_fixed"], found["n_open"]) == (15, 18, 0)
    # Three HITs twice and two once at 0.25 + 0.05, instead of three HITs three times.
    assert (found["cost"], found["cost_fixed"]) == ("2.40", "2.70")
    assert run_json("site", "check")["broken"] == {}


@pytest.mark.long
def test_a_random_share_gets_three_votes_and_carries_the_agreement(
    make_batch: MakeBatch, tmp_path: Path
) -> None:
    make_batch(assignments_per_hit=2)
    run_json("batch", "begin-adaptive", "b", "--full-share", "1")
    answer_round(tmp_path, seed=1)
    assert run_json("batch", "plan-round", "b")["queries"] == 6
    answer_round(tmp_path, seed=2)
    found = run_json("batch", "adaptive-report", "b")
    assert found["n_full"] == 6
    assert found["sample"]["votes_per_query"] == 3.0


def test_a_query_waits_for_the_votes_that_are_out(make_batch: MakeBatch) -> None:
    batch = make_batch(assignments_per_hit=2)
    run_json("batch", "begin-adaptive", "b")
    assert queries_to_ask(batch=batch) == {}
    run_json("batch", "publish", "b", "--yes")
    assert queries_to_ask(batch=batch) == {}


def test_what_cannot_be_asked_adaptively_is_said(make_batch: MakeBatch) -> None:
    make_batch(name="three")
    with pytest.raises(CommandError, match="3"):
        run_json("batch", "begin-adaptive", "three")
    make_batch(assignments_per_hit=2)
    with pytest.raises(CommandError):
        run_json("batch", "adaptive-report", "b")
    with pytest.raises(CommandError, match=r"0 .* 1\b"):
        run_json("batch", "begin-adaptive", "b", "--full-share", "2")
    run_json("batch", "begin-adaptive", "b")
    with pytest.raises(CommandError):
        run_json("batch", "begin-adaptive", "b")
    with pytest.raises(CommandError, match="draft"):
        run_json("batch", "plan-round", "b")
    with pytest.raises(CommandError, match="draft"):
        run_json("batch", "top-up", "b")
    assert HIT.objects.count() == 6


@pytest.mark.parametrize("wrong", [{"full_share": 1.5}, {"most_votes": 2}], ids=["share", "most"])
def test_the_database_refuses_an_impossible_rule(
    make_batch: MakeBatch, wrong: dict[str, float]
) -> None:
    rule: dict[str, Any] = {"question": "gender", "full_share": 0.1, "most_votes": 5} | wrong
    with pytest.raises(IntegrityError), transaction.atomic():
        AdaptivePolicy.objects.create(batch=make_batch(), **rule)
