"""`fairpool agree` and `fairpool decide`: what the library computes, from files of votes."""

from pathlib import Path

import pandas as pd
import pytest

import metrics
from metrics.votes.files.label_files import read_query_labels
from tests.metrics.votes.test_public_votes import drawn
from tests.program import failure, run, run_json


@pytest.fixture
def votes(tmp_path: Path) -> Path:
    path = tmp_path / "votes.csv"
    drawn(80).to_csv(path, index=False)
    return path


@pytest.mark.filterwarnings("ignore::UserWarning")
def test_agreement_of_a_file_is_that_of_its_frame(votes: Path, tmp_path: Path) -> None:
    rows = run_json("agree", votes)["rows"]
    table = metrics.agreement(drawn(80)).drop(columns="question")
    assert [row["value"] for row in rows] == pytest.approx(table.value.tolist())
    assert [row["low"] for row in rows[:4]] == pytest.approx(table.low.tolist()[:4])
    assert list(rows[0]) == list(table.columns)
    these = run_json("agree", votes, "--these-workers", "--resamples", 100, "--level", 0.9)["rows"]
    assert (these[0]["holds_for"], these[0]["level"]) == ("these workers", 0.9)
    seen = run_json("agree", votes, "--suggested-by", "gpt")["rows"]
    assert seen[0]["value"] is None
    run("agree", votes, "-o", tmp_path / "a.csv")
    run("agree", votes, "-o", tmp_path / "a.csv")  # what it wrote is replaced
    assert pd.read_csv(tmp_path / "a.csv").value.tolist() == pytest.approx(table.value.tolist())


def test_labels_are_decided_into_a_file_that_other_commands_read(
    votes: Path, tmp_path: Path
) -> None:
    out = tmp_path / "labels.csv"
    run("decide", votes, "--method", "dawid_skene", "--probabilities", "-o", out)
    table = metrics.decide(drawn(80), "dawid_skene", probabilities=True)
    written = pd.read_csv(out, dtype={"qid": str})
    assert written.label.tolist() == table.decided.tolist()
    assert written.p_a.tolist() == pytest.approx(table.p_a.tolist())
    assert read_query_labels(out) == dict(zip(table.item, table.decided, strict=True))


def test_options_say_how_files_are_read(tmp_path: Path) -> None:
    path = tmp_path / "wide.csv"
    path.write_text("item,ann,bob,cyd\n1,Yes,yes,no\n2,no,no,skip\n3,yes,no,\n")
    call = ("decide", path, "--people", "ann,bob", "--people", "cyd", "--labels", "skip=")
    rows = run_json(*call)["rows"]
    assert [(row["qid"], row["label"], row["state"]) for row in rows] == [
        ("1", "Yes", "decided"),
        ("2", "no", "decided"),
        ("3", None, "tie"),
    ]
    ordered = run_json(*call, "--kind", "ordinal", "--options", "no,Yes", "--labels", "yes=Yes")
    assert {row["method"] for row in ordered["rows"]} == {"median"}


def test_what_cannot_be_decided_is_said_in_the_words_of_the_program(
    votes: Path, tmp_path: Path
) -> None:
    assert "--labels a=x" in failure("decide", votes, "--options", "x,b,c")
    assert "known answers" in failure("decide", votes, "--method", "gold_weighted")
    assert "no ordinal answers" in failure(
        "decide", votes, "--method", "mace", "--kind", "ordinal", "--options", "a,b,c"
    )
    other = tmp_path / "other.csv"
    other.write_text("mine\n")
    assert "--force" in failure("decide", votes, "-o", other)
