"""The way of a study: pool, batch, HITs, workers, votes, over a live crowd service."""

from pathlib import Path

import pytest
from django.core.management import CommandError
from pytest_django import Settings

from annotation.batches.operations.create import CREATE_BATCH
from annotation.batches.operations.publish import publish_batch
from annotation.crowd.questions import MAX_BYTES, most_bytes
from annotation.labels.queries.votes import votes_that_count
from annotation.models import (
    Assignment,
    Batch,
    BatchQuery,
    StudyPool,
    Vote,
    Worker,
)
from annotation.overview.queries.flow import study_flow
from annotation.overview.queries.steps import steps_of
from annotation.schemes import CANNOT_TELL
from annotation.vocabulary import WorkerKind
from metrics.errors import InputError
from mturk_local.models import HIT
from mturk_local.questions import MOST_BYTES
from pooling.models import Pool, PooledQuery
from tests.commands import run_json
from tests.performing import do
from tests.study import a_study, stored_pairs

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

TEXTS = {
    "10": "what is <b>tea</b> & ]]>",
    "2": "who was the queen \U0001f478",
    "3": "=1+1 king",
    "4": "\u05e9\u05dc\u05d5\u05dd",
    "5": "adam and eve",
}
TRUTH = {"10": "n", "2": "f", "3": "m", "4": "n", "5": "o"}


@pytest.fixture
def pool() -> Pool:
    pool = Pool.objects.create(name="p", cutoff=5, rank_cutoff=10, magnitude="tf")
    StudyPool.objects.create(pool=pool, study=a_study("p"))
    for qid, text in TEXTS.items():
        PooledQuery.objects.create(pool=pool, qid=qid, text=text, best_rank=1)
    return pool


def test_a_pool_becomes_votes(pool: Pool, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"{q},{TEXTS[q]},{label}\n" for q, label in TRUTH.items()), "utf-8")

    created = run_json("batch", "create", "--name", "b", "--pool", "p", "--queries-per-hit", "2")
    assert (created["n_hits"], created["cost"]) == (3, "2.70")  # 3 HITs x 3 x (0.25 + 0.05)
    published = run_json("batch", "publish", "b", "--yes")
    assert (published["published"], published["state"]) == (3, "published")
    assert published["committed"] == "2.70"
    run_json("batch", "simulate", "b", "--truth", truth, "--seed", "1", "--accuracy", "1")
    collected = run_json("batch", "collect", "b", "--approve")
    assert (collected["new"], collected["votes"], collected["quarantined"]) == (9, 15, 0)
    assert collected["approved"] == 9

    status = run_json("batch", "show", "b")
    assert status["n_votes"] == status["n_votes_expected"] == status["n_votes_simulated"] == 15
    assert (status["spent"], status["n_quarantined"]) == ("2.70", 0)
    given = set(Vote.objects.values_list("query__qid", "choices__option"))
    assert given == set(TRUTH.items())
    assert set(Worker.objects.values_list("kind", flat=True)) == {WorkerKind.SIMULATED}


def test_what_became_of_every_vote_adds_up_and_a_study_ends(pool: Pool, tmp_path: Path) -> None:
    """Somebody cannot tell, and somebody is discarded: nothing more is to come all the same."""
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"{q}\t{label}\n" for q, label in TRUTH.items()), "utf-8")
    study = pool.belongs.study
    pool.summary = {"n_pooled": 5, "n_queries": 5, "n_lists": 2, "n_runs": 1}
    pool.save()

    def step() -> tuple[str, str]:
        [one] = [one for one in steps_of(study_flow(study=study)) if one.key == "labels"]
        return str(one.state), one.sentence

    run_json("batch", "create", "--name", "b", "--pool", "p", "--queries-per-hit", "5")
    run_json("batch", "publish", "b", "--yes")
    assert step() == ("running", "0 of 15 votes, 15 still to come.")
    run_json("batch", "simulate", "b", "--truth", truth, "--seed", "1", "--accuracy", "1")
    run_json("batch", "collect", "b")
    vote = Vote.objects.order_by("pk").first()
    assert vote is not None
    vote.choices.update(option=CANNOT_TELL)
    other = Vote.objects.exclude(worker=vote.worker).order_by("pk").first()
    assert other is not None
    run_json("worker", "discard-votes", "b", other.worker.worker_id, "--reason", "A robot.")

    shown = run_json("batch", "show", "b")

    counted = ("n_votes", "n_cannot_tell", "n_not_counted")
    assert [shown[name] for name in counted] == [9, 1, 5]
    assert sum(shown[name] for name in counted) == shown["n_votes_expected"]
    said = "9 of 15 votes, 1 cannot tell, 5 discarded. Labels can be decided."
    assert step() == ("ready", said)

    batch = Batch.objects.get()
    BatchQuery.objects.filter(qid="5").update(gold="o")
    shown = run_json("batch", "show", "b")
    assert shown["n_votes_expected"] == 12
    assert sum(shown[name] for name in counted) == 12
    assert shown["n_votes"] == votes_that_count(batch=batch).count()

    Assignment.objects.update(problem="It could not be read.")
    Vote.objects.all().delete()
    run_json("batch", "stop", "b")
    said = "0 of 12 votes, 12 unreadable. There is nothing to decide"
    assert step() == ("waiting", f"{said} a label from.")


def test_doing_everything_twice_changes_nothing(pool: Pool, tmp_path: Path) -> None:
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"{q}\t{label}\n" for q, label in TRUTH.items()), "utf-8")
    run_json("batch", "create", "--name", "b", "--pool", "p", "--assignments", "2")
    assert run_json("batch", "publish", "b", "--yes")["published"] == 1
    assert run_json("batch", "publish", "b", "--yes")["published"] == 0
    run_json("batch", "simulate", "b", "--truth", truth, "--seed", "1")
    assert run_json("batch", "collect", "b")["new"] == 2
    before = (set(Vote.objects.values_list()), set(Assignment.objects.values_list()))
    assert run_json("batch", "collect", "b")["new"] == 0
    assert before == (set(Vote.objects.values_list()), set(Assignment.objects.values_list()))
    assert run_json("batch", "stop", "b") == {"name": "b", "expired": 1, "failed": {}}
    assert run_json("batch", "stop", "b") == {"name": "b", "expired": 1, "failed": {}}
    assert run_json("batch", "show", "b")["state"] == "stopped"
    with pytest.raises(CommandError, match="stopped"):
        run_json("batch", "publish", "b", "--yes")


def test_the_local_service_takes_pages_that_amazon_refuses(settings: Settings) -> None:
    pool = stored_pairs(50)
    pool.queries.update(passage=60 * "A passage of this length. ")
    terms = {"name": "long", "pool": pool.pk, "scheme": "relevance", "queries_per_hit": 50}
    settings.MTURK_ENVIRONMENT = "sandbox"
    with pytest.raises(InputError, match="at most 65,535 are allowed") as refused:
        do(CREATE_BATCH, pool.belongs.study, **terms)
    assert "of that length would fit" in str(refused.value)
    settings.MTURK_ENVIRONMENT = "local"
    batch = do(CREATE_BATCH, pool.belongs.study, **terms).made
    publish_batch(batch_id=batch.pk, actor="test")
    assert batch.hits.get().state == "published"
    [question] = HIT.objects.values_list("question", flat=True)
    assert len(question.encode()) > MAX_BYTES


def test_both_sides_of_the_local_service_take_pages_of_one_size() -> None:
    assert most_bytes("local") == MOST_BYTES
    assert most_bytes("sandbox") == most_bytes("production") == MAX_BYTES
