"""Imported votes to labels and files, on small hostile input."""

import json
from pathlib import Path

import pytest
from django.core.management import CommandError
from django.db import IntegrityError, transaction

from annotation.labels.queries.votes import question_votes
from annotation.models import Batch, BatchQuery, Label, Labelling, Vote, Worker
from annotation.vocabulary import Category
from tests.commands import run_json

pytestmark = pytest.mark.django_db

VOTES = """query_id,worker,label,query
q1,a,n,one
q1,b,n,one
q1,c,n,one
q2,a,f,"two, with comma"
q2,b,f,"two, with comma"
q2,c,m,"two, with comma"
q3,a,n,=three
q3,b,f,=three
q3,c,m,=three
"""


@pytest.fixture
def study(tmp_path: Path) -> Batch:
    path = tmp_path / "votes.csv"
    path.write_text(VOTES)
    run_json("label", "import-votes", path, "--name", "study")
    return Batch.objects.get(name="study")


def test_a_tie_is_a_state_and_never_exported_as_a_category(study: Batch, tmp_path: Path) -> None:
    report = run_json("label", "decide", "study")
    assert (report["labels"], report["ties"]) == (
        dict.fromkeys(Category.values, 0) | {"n": 1, "f": 1},
        1,
    )
    out = tmp_path / "out.csv"
    run_json("label", "export", "study", "--category", "all", "--output", out)
    assert out.read_text() == "q1,one,n\nq2,two, with comma,f\n"
    run_json(
        "label",
        "export",
        "study",
        "--category",
        "all",
        "--format",
        "jsonl",
        "--ties",
        "--output",
        out,
    )
    rows = [json.loads(line) for line in out.read_text().splitlines()]
    assert [(row["label"], row["source"]) for row in rows] == [
        ("n", "unanimous"), ("f", "majority"), ("tie", "tie"),
    ]  # fmt: skip


def test_labelling_twice_changes_nothing(study: Batch) -> None:
    assert run_json("label", "decide", "study")["n_changed"] == 3
    before = list(Label.objects.values_list("query", "value", "decided_at"))
    assert run_json("label", "decide", "study")["n_changed"] == 0
    assert list(Label.objects.values_list("query", "value", "decided_at")) == before


def test_strict_majority_asks_for_more_than_half(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("query_id,worker,label\nq,a,n\nq,b,n\nq,c,f\nq,d,m\n")
    run_json("label", "import-votes", path, "--name", "four")
    assert run_json("label", "decide", "four")["labels"]["n"] == 1
    assert run_json("label", "decide", "four", "--strict")["ties"] == 1
    assert Labelling.objects.get().strict


def test_a_batch_without_labels_cannot_be_exported(study: Batch, tmp_path: Path) -> None:
    with pytest.raises(CommandError):
        run_json("label", "export", "study", "--category", "all", "--output", tmp_path / "out.csv")
    assert not (tmp_path / "out.csv").exists()


def test_repeated_votes_are_kept_and_the_first_counts(tmp_path: Path) -> None:
    path = tmp_path / "votes.csv"
    path.write_text("query_id,worker,label\nq,a,n\nq,a,f\n")
    report = run_json("label", "import-votes", path, "--name", "twice")
    assert report["set_aside"] == {"repeated": 1}
    assert report["first_set_aside"] == {"repeated": "votes.csv:3"}
    assert list(Vote.objects.values_list("choices__option", "counts")) == [
        ("n", True),
        ("f", False),
    ]
    assert len(question_votes(batch=Batch.objects.get())["gender"]) == 1


def test_one_vote_per_worker_and_query_is_a_rule_of_the_database(study: Batch) -> None:
    query, worker = BatchQuery.objects.get(qid="q1"), Worker.objects.get(worker_id="a")
    with pytest.raises(IntegrityError), transaction.atomic():
        Vote.objects.create(query=query, worker=worker)


def test_a_labelling_has_a_known_method(study: Batch) -> None:
    with pytest.raises(IntegrityError), transaction.atomic():
        Labelling.objects.create(batch=study, method="guess")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--name", "study"], "'study'"),
        (["--name", ""], "name"),
        (["--name", "new", "--queries", "queries.tsv"], r"votes\.csv:5: .*'q2'"),
        (["--name", "new", "--voters", "model"], "'a' "),
        (["--name", "new", "--columns", "query_id=task"], "'task'"),
        (["--name", "new", "--columns", "query_id=worker"], r"votes\.csv"),
    ],
    ids=["name taken", "no name", "unknown query", "other kind", "no column", "two texts"],
)
def test_what_cannot_be_imported_is_said_and_leaves_nothing(
    study: Batch,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    arguments: list[str],
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "queries.tsv").write_text("q1\tone\n")
    with pytest.raises(CommandError, match=message):
        run_json("label", "import-votes", "votes.csv", *arguments)
    assert Batch.objects.count() == 1


def test_an_unknown_category_among_released_labels_is_an_error_with_its_line(
    tmp_path: Path,
) -> None:
    path = tmp_path / "labels.csv"
    path.write_text("1,one,n\n2,two,x\n")
    with pytest.raises(CommandError, match=r"labels\.csv:2: .*'x'"):
        run_json("label", "import", path, "--name", "released")
    assert not Batch.objects.exists()


def test_hostile_texts_survive_import_and_export_byte_for_byte(tmp_path: Path) -> None:
    texts = [
        "<script>alert(1)</script>, ]]>", "=cmd|' /C calc'!A0", "👩‍👧 مرحبا \u202e", "x" * 10_000,
        "a\u0085b\u2028c",
    ]  # fmt: skip
    path = tmp_path / "labels.csv"
    path.write_bytes("".join(f"{n},{text},n\n" for n, text in enumerate(texts)).encode())
    run_json("label", "import", path, "--name", "hostile")
    out = tmp_path / "out.csv"
    run_json("label", "export", "hostile", "--category", "all", "--output", out)
    assert out.read_bytes() == path.read_bytes()


def test_numbers_lead_to_the_queries_behind_them(study: Batch) -> None:
    for pattern, qids in {
        "3-0": ["q1"],
        "2-1": ["q2"],
        "1-1-1": ["q3"],
        "f,m": ["q2", "q3"],
        "f,f": ["q2"],
    }.items():
        shown = run_json("batch", "agreement", study.name, "--queries-with", pattern)
        assert shown == {"queries": qids}
    for unknown in ("x", "x,f"):
        with pytest.raises(CommandError, match=r"\Wx\W"):
            run_json("batch", "agreement", "study", "--queries-with", unknown)


def test_intervals_hold_for_other_workers_unless_asked_otherwise(study: Batch) -> None:
    other, these = (
        run_json("batch", "agreement", "study", *options)
        for options in ((), ("--interval", "queries"))
    )
    assert (other["interval"], these["interval"]) == ("queries_and_workers", "queries")
    assert other["raw_agreement"]["value"] == these["raw_agreement"]["value"]
    # Three queries are too few for other workers.
    assert other["raw_agreement"]["low"] is None
    assert these["raw_agreement"]["low"] is not None


def test_an_unknown_batch_is_a_plain_error() -> None:
    with pytest.raises(CommandError, match="'nothing'"):
        run_json("batch", "agreement", "nothing")
