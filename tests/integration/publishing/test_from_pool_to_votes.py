"""The way of a study: pool, batch, HITs, workers, votes, over a live crowd service."""

import json
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.models import Assignment, Vote, Worker
from annotation.vocabulary import WorkerKind
from pooling.models import Pool, PooledQuery

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

TEXTS = {
    "10": "what is <b>tea</b> & ]]>",
    "2": "who was the queen \U0001f478",
    "3": "=1+1 king",
    "4": "\u05e9\u05dc\u05d5\u05dd",
    "5": "adam and eve",
}
TRUTH = {"10": "n", "2": "f", "3": "m", "4": "n", "5": "o"}


def run(command: str, *arguments: str | Path) -> dict[str, Any]:
    out = StringIO()
    call_command(command, *map(str, arguments), "--json", "--quiet", stdout=out)
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


@pytest.fixture
def pool() -> Pool:
    pool = Pool.objects.create(name="p", cutoff=5, rank_cutoff=10, magnitude="tf")
    for qid, text in TEXTS.items():
        PooledQuery.objects.create(pool=pool, qid=qid, text=text, best_rank=1)
    return pool


def test_a_pool_becomes_votes(pool: Pool, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"{q},{TEXTS[q]},{label}\n" for q, label in TRUTH.items()), "utf-8")

    created = run("create_batch", "--name", "b", "--pool", "p", "--queries-per-hit", "2")
    assert (created["n_hits"], created["cost"]) == (3, "2.70")  # 3 HITs x 3 x (0.25 + 0.05)
    published = run("publish_batch", "b", "--yes")
    assert (published["published"], published["state"]) == (3, "published")
    assert published["committed"] == "2.70"
    run("simulate_workers", "b", "--truth", truth, "--seed", "1", "--accuracy", "1")
    collected = run("sync_batch", "b", "--approve")
    assert (collected["new"], collected["votes"], collected["quarantined"]) == (9, 15, 0)
    assert collected["approved"] == 9

    status = run("batch_status", "b")
    assert status["n_votes"] == status["n_votes_expected"] == status["n_votes_simulated"] == 15
    assert (status["spent"], status["n_quarantined"]) == ("2.70", 0)
    given = set(Vote.objects.values_list("query__qid", "category"))
    assert given == set(TRUTH.items())
    assert set(Worker.objects.values_list("kind", flat=True)) == {WorkerKind.SIMULATED}


def test_doing_everything_twice_changes_nothing(pool: Pool, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"{q}\t{label}\n" for q, label in TRUTH.items()), "utf-8")
    run("create_batch", "--name", "b", "--pool", "p", "--assignments", "2")
    assert run("publish_batch", "b", "--yes")["published"] == 1
    assert run("publish_batch", "b", "--yes")["published"] == 0
    run("simulate_workers", "b", "--truth", truth, "--seed", "1")
    assert run("sync_batch", "b")["new"] == 2
    before = (set(Vote.objects.values_list()), set(Assignment.objects.values_list()))
    assert run("sync_batch", "b")["new"] == 0
    assert before == (set(Vote.objects.values_list()), set(Assignment.objects.values_list()))
    assert run("expire_batch", "b") == {"name": "b", "expired": 1, "failed": {}}
    assert run("expire_batch", "b") == {"name": "b", "expired": 1, "failed": {}}
    assert run("batch_status", "b")["state"] == "stopped"
    with pytest.raises(CommandError, match="stopped"):
        run("publish_batch", "b", "--yes")
