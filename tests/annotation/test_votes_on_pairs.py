"""Votes on pairs of query and passage, in files and back."""

import csv
import io
from pathlib import Path

import pytest

from annotation.models import Batch, Choice
from tests.commands import failure, run
from tests.judged_pairs import PAIRS, pairs_batch
from tests.study import a_study

pytestmark = pytest.mark.django_db


def votes_of(batch: Batch) -> list[tuple[str, str, str]]:
    """Item, passage and option of each vote."""
    chosen = Choice.objects.filter(vote__query__batch=batch)
    return sorted(chosen.values_list("vote__query__qid", "vote__query__passage", "option"))


@pytest.mark.parametrize("layout", ["plain", "label-studio"])
def test_votes_are_read_back(tmp_path: Path, layout: str) -> None:
    batch = pairs_batch(a_study("judged"))
    file = tmp_path / "votes"
    run("label", "export-votes", "pairs", "--format", layout, "--output", file)
    run("label", "import-votes", file, "--name", "again", "--scheme", "relevance")
    again = Batch.objects.get(name="again")
    assert votes_of(again) == votes_of(batch)
    assert again.queries.exclude(gold="").get().qid == "8 D5"
    assert {query.docno for query in again.queries.all()} <= {docno for _, docno in PAIRS}


def test_a_line_has_the_ids_of_the_query_and_of_the_passage(tmp_path: Path) -> None:
    pairs_batch(a_study("judged"))
    file = tmp_path / "votes.csv"
    run("label", "export-votes", "pairs", "--output", file)
    first = next(csv.DictReader(io.StringIO(file.read_text())))
    del first["worker"]
    assert first == {
        "query_id": "7", "label": "2", "query": "what is 7", "gold": "", "seconds": "",
        "docno": "D1", "passage": "It is D1, indeed",
    }  # fmt: skip


HEAD = "query_id,worker,label,query,docno,passage\n"


@pytest.mark.parametrize(
    ("text", "options", "message"),
    [
        (f"{HEAD}7,A,2,q,D1,\n", ["--scheme", "relevance"], "has no text"),
        (f"{HEAD}7,A,2,q,,text\n", ["--scheme", "relevance"], "has no id"),
        (f"{HEAD}7,A,n,q,D1,text\n", [], "the scheme asks about queries"),
        ("query_id,worker,label\n7,A,2\n", ["--scheme", "relevance"], "names no passage"),
        (
            f"{HEAD}7,A,2,q,D1,text\n7,B,2,q,D1,other\n",
            ["--scheme", "relevance"],
            "has another passage on an earlier line",
        ),
    ],
    ids=["no text", "no id", "about queries", "about passages", "two texts"],
)
def test_votes_that_are_no_votes_on_pairs_are_refused(
    tmp_path: Path, text: str, options: list[str], message: str
) -> None:
    file = tmp_path / "votes.csv"
    file.write_text(text)
    assert message in failure("label", "import-votes", file, "--name", "new", *options)
    assert not Batch.objects.exists()


def test_results_of_mechanical_turk_have_passages(tmp_path: Path) -> None:
    file = tmp_path / "results.csv"
    file.write_text(
        "HITId,AssignmentId,WorkerId,Input.qid_1,Input.docno_1,Input.query_1,Input.passage_1,"
        "Answer.label_1\nH,A,W,7,D1,what,text,3\n"
    )
    columns = "label=Answer.label_*,query=Input.query_*,query_id=Input.qid_*"
    columns += ",docno=Input.docno_*,passage=Input.passage_*"
    options = ("--scheme", "relevance", "--columns", columns)
    run("label", "import-votes", file, "--name", "turk", *options)
    assert votes_of(Batch.objects.get()) == [("7 D1", "text", "3")]
