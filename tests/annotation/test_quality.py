"""Workers set aside and queries adjudicated: labels follow, votes stay."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.db import IntegrityError, transaction

from annotation.labels.queries.quality import batch_worker_pairs
from annotation.models import AuditEvent, Batch, Choice, DiscardedVotes, Label, Vote, Worker
from tests.commands import run_json

pytestmark = pytest.mark.django_db

VOTES = """query_id,worker,label,gold,seconds
q1,a,n,,4
q1,b,n,,4
q1,c,f,,1
q2,a,f,,4
q2,b,m,,4
q2,c,m,,1
q3,a,n,,4
q3,b,f,,4
g1,a,n,n,4
g1,b,n,n,4
g1,c,f,n,1
"""


@pytest.fixture
def study(tmp_path: Path) -> Batch:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    run_json("label", "import-votes", path, "--name", "study")
    run_json("label", "decide", "study")
    return Batch.objects.get(name="study")


def labels() -> dict[str, str]:
    return dict(Label.objects.values_list("query__qid", "value"))


def test_quality_of_each_worker(study: Batch) -> None:
    rows = {row["worker"]: row for row in run_json("worker", "quality", "study")["workers"]}
    assert rows["a"]["gold_accuracy"]["value"] == 1.0
    assert rows["c"]["gold_accuracy"]["value"] == 0.0
    assert rows["c"]["seconds"] == 1.0
    assert rows["c"]["remarks"][0] == "right on only 0% of 1 gold questions"
    assert any("25% of the median" in remark for remark in rows["c"]["remarks"])


def test_setting_a_worker_aside_decides_again_and_deletes_nothing(study: Batch) -> None:
    assert labels() == {"q1": "n", "q2": "m", "q3": "tie"}
    n_votes = Vote.objects.count()
    run_json("worker", "discard-votes", "study", "c", "--reason", "random clicks", "--by", "me")
    assert labels() == {"q1": "n", "q2": "tie", "q3": "tie"}
    assert run_json("batch", "agreement", "study")["n_votes"] == 6
    assert Vote.objects.count() == n_votes
    workers = {row["worker"]: row for row in run_json("worker", "quality", "study")["workers"]}
    assert workers["c"]["set_aside"] == "random clicks"
    run_json("worker", "restore-votes", "study", "c", "--reason", "was fine", "--by", "me")
    assert labels() == {"q1": "n", "q2": "m", "q3": "tie"}
    actions = list(AuditEvent.objects.values_list("action", "actor"))
    assert ("votes discarded", "me") in actions
    assert ("votes restored", "me") in actions


def test_a_label_without_votes_left_goes(study: Batch) -> None:
    for worker in "ab":
        run_json("worker", "discard-votes", "study", worker, "--reason", "test")
    assert labels() == {"q1": "f", "q2": "m"}


def test_a_worker_is_set_aside_once_at_a_time(study: Batch) -> None:
    run_json("worker", "discard-votes", "study", "c", "--reason", "x")
    with pytest.raises(CommandError):
        run_json("worker", "discard-votes", "study", "c", "--reason", "x")
    with pytest.raises(CommandError, match="'nobody'"):
        run_json("worker", "discard-votes", "study", "nobody", "--reason", "x")
    with pytest.raises(CommandError):
        run_json("worker", "restore-votes", "study", "a", "--reason", "x")
    with pytest.raises(IntegrityError), transaction.atomic():
        DiscardedVotes.objects.create(
            batch=study, worker=Worker.objects.get(worker_id="c"), reason="x", by="y"
        )


def test_the_queue_is_blind_and_decisions_stand_before_votes(study: Batch, tmp_path: Path) -> None:
    (item,) = run_json("label", "queue", "study")["queue"]
    assert (item["qid"], item["why"], item["votes"]) == ("q3", "tie", None)
    (item,) = run_json("label", "queue", "study", "--show-votes")["queue"]
    assert item["votes"] == {"f": 1, "n": 1}
    run_json(
        "label", "adjudicate", "study", "q3", "o", "--by", "R. Reader", "--reason", "names two"
    )
    assert run_json("label", "queue", "study")["queue"] == []
    out = tmp_path / "out.jsonl"
    run_json("label", "export", "study", "--category", "all", "--format", "jsonl", "--output", out)
    row = json.loads(out.read_text().splitlines()[2])
    assert (row["label"], row["source"], row["reason"]) == ("o", "adjudicated", "names two")
    assert (row["n_votes"], row["n_for"]) == (2, 0)
    label = Label.objects.get(method="adjudicated")
    assert label.decided_by == "R. Reader"
    assert label.decided_at is not None
    # Labelling anew leaves the decision, and the votes are what they were.
    run_json("label", "decide", "study")
    assert Label.objects.filter(method="adjudicated").exists()
    choices = Choice.objects.filter(vote__query__qid="q3")
    assert sorted(choices.values_list("option", flat=True)) == ["f", "n"]
    run_json(
        "label", "withdraw-decision", "study", "q3", "--by", "R. Reader", "--reason", "mistake"
    )
    assert len(run_json("label", "queue", "study")["queue"]) == 1
    assert AuditEvent.objects.filter(action="query adjudicated").count() == 1


def test_a_model_s_doubts_are_queued_after_the_ties(study: Batch) -> None:
    run_json("label", "decide", "study", "--method", "gold_weighted")
    queue = run_json("label", "queue", "study", "--below", "0.99")["queue"]
    assert [item["why"] for item in queue] == ["tie", "low confidence", "low confidence"]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["adjudicate", "study", "q3", "o"], "--reason"),
        (["adjudicate", "study", "nothing", "o", "--reason", "x"], "'nothing'"),
        (["adjudicate", "study", "g1", "o", "--reason", "x"], "'g1'"),
        (["adjudicate", "study", "q3", "--reason", "x"], "CATEGORY"),
        (["withdraw-decision", "study", "q1", "--reason", "x"], "q1"),
    ],
    ids=["no reason", "unknown query", "gold question", "no category", "nothing to withdraw"],
)
def test_what_cannot_be_adjudicated_is_said(
    study: Batch, arguments: list[str], message: str
) -> None:
    with pytest.raises(CommandError, match=message):
        run_json("label", *arguments)


def test_pairs_of_workers_of_a_batch(study: Batch) -> None:
    found = {(pair.first, pair.second): pair.n_common for pair in batch_worker_pairs(batch=study)}
    assert found == {("a", "b"): 3, ("a", "c"): 2, ("b", "c"): 2}
    pairs = run_json("worker", "quality", "study", "--pairs")["pairs"]
    assert pairs[0]["agreement"]["value"] == pytest.approx(1 / 3)


@pytest.mark.long
@pytest.mark.shared_data
def test_gold_accuracy_of_real_workers(shared_data: Path) -> None:
    run_json(
        "label", "import-votes", shared_data / "mturk_results" / "hw7_data.csv",
        "--name", "adjectives",
        "--columns", "label=Answer.adj_*,query=Input.adj_*", "--labels", "Yes=f,No=n,Naa=o",
        "--gold", "Answer.pos_qual_ctrl_*=Yes,Answer.neg_qual_ctrl=No",
    )  # fmt: skip
    rows = run_json("worker", "quality", "adjectives")["workers"]
    answered = sum(row["n_gold"] for row in rows)
    right = sum(row["n_gold"] * (row["gold_accuracy"]["value"] or 0) for row in rows)
    # Counted with pandas from the file: .7691 over 16,917 answered, 22 workers below .5.
    assert answered == 16_917
    assert right / answered == pytest.approx(0.7691, abs=5e-5)
    assert sum(row["n_gold"] > 0 and row["gold_accuracy"]["value"] < 0.5 for row in rows) == 22
    assert run_json("label", "decide", "adjectives", "--method", "gold_weighted")["ties"] == 0
