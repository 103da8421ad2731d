"""A report on a labelled batch: its queries, and who labelled them."""

from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.core.parameters import ParametersError
from annotation.models import Batch, Choice, Label, Labelling
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.queries.measured import LabelSource, labels_note, queries_of
from annotation.schemes import scheme_from_yaml
from metrics.errors import InputError
from tests import program
from tests.any_batch import SCHEMES
from tests.commands import failure, run
from tests.measured import asked, measured_study, storages_in

pytestmark = pytest.mark.django_db

COLLECTION = "d1\tshe said rain\nd2\the and his brother\nd3\train falls\n"
RUN = "".join(
    f"{qid} Q0 {docno} {rank} {9 - rank} x\n"
    for qid in ("q1", "q2", "q3")
    for rank, docno in enumerate(("d1", "d2", "d3"))
)
# q1 and q2 name no gender, q3 is male, q4 a tie.
VOTES = "query_id,worker,label,query\n" + "".join(
    f"{qid},w{worker},{label},text of {qid}\n"
    for qid, labels in (("q1", "nnn"), ("q2", "nnf"), ("q3", "mmm"), ("q4", "nfm"))
    for worker, label in enumerate(labels)
)


def study(folder: Path, voters: str) -> list[str | Path]:
    """A labelled batch named `study`, and the options of a report on it."""
    (folder / "votes.csv").write_text(VOTES)
    (folder / "collection.tsv").write_text(COLLECTION)
    (folder / "a.run").write_text(RUN)
    program.run("score", folder / "collection.tsv", "--output", folder / "m.parquet")
    run("label", "import-votes", folder / "votes.csv", "--name", "study", "--voters", voters)
    run("label", "decide", "study")
    magnitudes, model = folder / "m.parquet", f"A={folder / 'a.run'}"
    return ["study", "--scores", magnitudes, "--run", model, "--output", folder / "report"]


def test_only_the_non_gendered_queries_are_measured(tmp_path: Path) -> None:
    run("report", "make", *study(tmp_path, "human"))

    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "2 queries of batch study" in page
    queries, _ = queries_of(LabelSource([Batch.objects.get(name="study")]))
    assert dict(queries.texts) == {"q1": "text of q1", "q2": "text of q2"}


def test_of_another_scheme_the_queries_of_its_subset_are_measured(tmp_path: Path) -> None:
    """As decided by a method where its question is labelled, else by the rule of its kind."""
    options = study(tmp_path, "simulated")
    scheme = tmp_path / "shops.yaml"
    scheme.write_text(SCHEMES["one nominal question"])
    labels = "n=no,f=yes,m=may"
    bought = ("label", "import-votes", tmp_path / "votes.csv", "--name", "shops")
    run(*bought, "--scheme", scheme, "--labels", labels, "--voters", "simulated")
    assert "no query yet in: queries of buyers" in failure("report", "make", "shops", *options[1:])
    run("label", "adjudicate", "shops", "q2", "yes", "--by", "R", "--reason", "They buy.")
    run("report", "make", "shops", *options[1:])
    page = (tmp_path / "report" / "index.html").read_text(encoding="utf-8")
    assert "queries of buyers" in page
    assert "labels made from simulated votes (12)" in page


STARS = """
name: stars
title: Stars
questions:
- name: stars
  text: How good is the query?
  kind: scale
  options: [{code: "1", label: Bad}, {code: "2"}, {code: "3", label: Good}]
subset: {words: bad queries, question: stars, at_most: 1}
"""


def test_the_site_measures_a_scheme_that_no_method_decides(
    tmp_path: Path, settings: Settings
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    made = measured_study(tmp_path)
    Label.objects.all().delete()
    Labelling.objects.all().delete()
    for point, code in enumerate("nfm", start=1):
        Choice.objects.filter(option=code).update(question="stars", option=str(point))
    request = asked(made)
    Batch.objects.update(asks=scheme_from_yaml(STARS).as_json())
    report = create_report(study=made, request=request, actor="test")
    summary = make_report(report_id=report.pk).summary
    assert summary["n_queries"] == 2


@pytest.mark.long
@pytest.mark.parametrize(
    ("voters", "note"),
    [
        ("simulated", "labels made from simulated votes (12)"),
        ("model", "labels made from votes: 12 of language models"),
    ],
)
def test_labels_that_no_person_made_are_marked_on_the_page_and_in_every_table(
    tmp_path: Path, voters: str, note: str
) -> None:
    run("report", "make", *study(tmp_path, voters))

    folder = tmp_path / "report"
    assert f"Not the judgement of people alone: {note}" in (folder / "index.html").read_text()
    tables = list(folder.glob("*.md"))
    assert tables
    assert all(note in table.read_text(encoding="utf-8") for table in tables)
    assert note in (folder / "table3_bias.csv").read_text(encoding="utf-8")


@pytest.mark.long
def test_labels_of_people_need_no_warning(tmp_path: Path) -> None:
    run("report", "make", *study(tmp_path, "human"))

    assert "Not the judgement" not in (tmp_path / "report" / "index.html").read_text()
    assert labels_note(batch=Batch.objects.get(name="study")) == (
        "labels made from votes: 12 of people"
    )


def test_a_batch_without_labels_or_without_such_queries_is_one_plain_line(tmp_path: Path) -> None:
    options = study(tmp_path, "human")

    assert "has no query of category 'o'" in failure("report", "make", *options, "--category", "o")
    assert "Nobody" in failure("report", "make", "Nobody", *options[1:])
    assert not (tmp_path / "report").exists()


def test_batches_that_make_one_subset_feed_one_report_together(tmp_path: Path) -> None:
    """Whatever the question is called; the queries that they label differently are left out."""
    scheme = tmp_path / "shops.yaml"
    scheme.write_text(SCHEMES["one nominal question"])
    for name, answers in (("first", ("yes", "yes", "no")), ("second", ("yes", "no", "yes"))):
        path = tmp_path / f"{name}.csv"
        lines = [f"q{n},w{w},{code},text" for n, code in enumerate(answers) for w in range(3)]
        path.write_text("\n".join(["query_id,worker,label,query", *lines]))
        run("label", "import-votes", path, "--name", name, "--scheme", scheme)
    (tmp_path / "votes.csv").write_text(VOTES)
    run("label", "import-votes", tmp_path / "votes.csv", "--name", "gender")
    first, second, gender = Batch.objects.order_by("pk")
    queries, notes = queries_of(LabelSource([first, second]))
    assert (queries.labels, len(notes)) == ({"q0": "yes"}, 1)
    run("label", "decide", "first")
    assert queries_of(LabelSource([first, second], method="strict"))[0].labels == {"q0": "yes"}
    assert queries_of(LabelSource([first], "no"))[0].labels == {"q2": "no"}
    assert LabelSource([first], "no;yes").words == "queries labelled No or Yes"
    with pytest.raises(InputError, match=r"by 'buys'\), and non-gendered queries \(by 'gender'"):
        queries_of(LabelSource([first, gender]))
    with pytest.raises(ParametersError, match="category"):
        queries_of(LabelSource([first], "n"))
