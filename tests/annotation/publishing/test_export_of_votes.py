"""Votes of a batch of our own, exported and read again."""

import csv
from io import StringIO
from pathlib import Path

import pytest
from django.core.management import CommandError

from annotation.models import Assignment, Vote
from tests.annotation.publishing.conftest import MakeBatch
from tests.commands import run_json

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

COLUMNS = "label=Answer.label_*,query=Input.query_*,query_id=Input.qid_*,gold=Input.gold_*"


@pytest.fixture
def study(make_batch: MakeBatch, tmp_path: Path) -> None:
    make_batch(5)
    truth = tmp_path / "truth.csv"
    truth.write_text("".join(f"q{n},query number {n},{'nfmon'[n]}\n" for n in range(5)))
    run_json("batch", "publish", "b", "--yes")
    run_json("batch", "simulate", "b", "--truth", truth, "--seed", "1", "--accuracy", "0.7")
    run_json("batch", "collect", "b")


@pytest.mark.long
@pytest.mark.parametrize(
    ("layout", "columns"),
    [("plain", []), ("mturk", ["--columns", COLUMNS]), ("label-studio", [])],
)
def test_exported_votes_are_read_back_as_they_were(
    study: None, tmp_path: Path, layout: str, columns: list[str]
) -> None:
    out = tmp_path / "votes.csv"
    run_json("label", "export-votes", "b", "--format", layout, "--output", out)
    again = run_json(
        "label", "import-votes", out, "--name", "again", "--voters", "simulated", *columns
    )
    # The last HIT has one query of two: its second place is empty and no vote.
    assert again["n_votes"] == 15
    before, after = (
        sorted(
            Vote.objects.filter(query__batch__name=name).values_list(
                "query__qid", "query__text", "choices__option"
            )
        )
        for name in ("b", "again")
    )
    assert before == after
    given = [run_json("batch", "agreement", name)["raw_agreement"] for name in ("b", "again")]
    assert given[0] == given[1]


def test_the_results_look_like_amazons(study: None, tmp_path: Path) -> None:
    rejected = Assignment.objects.earliest("id")
    Assignment.objects.filter(pk=rejected.pk).update(state="Rejected")
    out = tmp_path / "results.csv"
    run_json("label", "export-votes", "b", "--format", "mturk", "--output", out)
    raw = out.read_bytes()
    assert raw.startswith(b'"HITId","HITTypeId","Title"')
    assert raw.count(b"\r\n") == raw.count(b"\n") == 10
    rows = list(csv.DictReader(StringIO(raw.decode(), newline="")))
    assert {row["AssignmentStatus"] for row in rows} == {"Submitted", "Rejected"}
    assert all(row["WorkerId"].startswith("simulated-") for row in rows)
    assert rows[0]["Reward"] == "$0.25"
    again = run_json("label", "import-votes", out, "--name", "again", "--voters", "simulated",
                "--columns", COLUMNS)  # fmt: skip
    assert again["set_aside"]["rejected"] == 2


def test_an_imported_batch_has_no_assignments_to_export(tmp_path: Path) -> None:
    (tmp_path / "v.csv").write_text("query_id,worker,label\nq,a,n\n")
    run_json("label", "import-votes", tmp_path / "v.csv", "--name", "old")
    with pytest.raises(CommandError):
        run_json(
            "label", "export-votes", "old", "--format", "mturk", "--output", tmp_path / "out.csv"
        )
    run_json("label", "export-votes", "old", "--output", tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text().splitlines()[0] == (
        "query_id,worker,label,query,gold,seconds"
    )
