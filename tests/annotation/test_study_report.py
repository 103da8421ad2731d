"""Bias reports of a study: made from its files, shown, and as files those of the command."""

import csv
import io
import itertools
import json
import zipfile
from collections.abc import Iterator
from dataclasses import asdict
from pathlib import Path

import pytest
from bs4 import BeautifulSoup, Tag
from django.core.management import call_command
from django.test import Client, override_settings
from django.urls import reverse
from django.utils import timezone
from pytest_django import (
    DjangoAssertNumQueries,
    DjangoCaptureOnCommitCallbacks,
    DjangoDbBlocker,
)

from annotation.core.perform import queue_job
from annotation.jobs.execution import run_job
from annotation.models import AuditEvent, DrawnSample, Study, StudyFile, StudyReport, Task
from annotation.overview.operations.rename import RENAME
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.reports import create_report, make_report, report_steps
from annotation.reports.queries.reports import (
    FOLDER,
    report_path,
    report_statistics,
    report_values,
)
from annotation.studies.file_store import local_path, store
from annotation.studies.operations.files import add_study_file
from annotation.studies.operations.score import study_score
from annotation.studies.queries.pool_documents import query_documents
from annotation.vocabulary import FileKind, SampleDesign, TaskKind, TaskState
from metrics.errors import InputError
from metrics.results.evaluation import requests_of
from metrics.results.scored_runs import score_runs
from metrics.texts.magnitude import MAGNITUDES
from metrics.texts.magnitude_store import open_magnitudes
from tests.commands import run
from tests.measured import RANKINGS, asked, measured_study, report_of, storages_in
from tests.performing import age_removed, do, remove

pytestmark = pytest.mark.django_db


@pytest.fixture(scope="module", autouse=True)
def _one_study(
    django_db_setup: None,
    django_db_blocker: DjangoDbBlocker,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[None]:
    """A measured study with its report, stored for all tests of this file: it takes seconds."""
    folder = tmp_path_factory.mktemp("study")
    with override_settings(STORAGES=storages_in(folder / "storage")):
        with django_db_blocker.unblock():
            report_of(measured_study(folder))
        yield
    with django_db_blocker.unblock():
        call_command("flush", interactive=False, verbosity=0)


@pytest.fixture
def study() -> Study:
    return Study.objects.get()


def asked_for(report: StudyReport) -> Task:
    terms = {"report": report.pk}
    return queue_job(kind=TaskKind.REPORT, subject=report.study, actor="test", arguments=terms)[0]


@pytest.fixture
def report(study: Study) -> StudyReport:
    return study.reports.get()


def storage_folder() -> Path:
    return Path(store().path("."))


def files_in(folder: Path) -> list[Path]:
    return [path for path in folder.rglob("*") if path.is_file()]


def address(report: StudyReport, name: str = "study-report", *more: object) -> str:
    return reverse(name, args=[report.study_id, report.pk, *more])


@pytest.mark.long
def test_the_folder_has_the_bytes_of_the_command(report: StudyReport, tmp_path: Path) -> None:
    files = {file.name: local_path(file) for file in report.study.files.all()}
    run(
        *("report", "make", "b", "--scores", files[report.parameters["scored"]]),
        *("--run", f"BM25={files['BM25']}", "--run", f"LSA={files['LSA']}", "--cutoff", "2,3"),
        *("--baseline", "BM25", "--paired", "BM25=LSA", "--output", tmp_path / "report"),
    )
    downloaded = Client().get(address(report, "study-report-folder"))

    with zipfile.ZipFile(io.BytesIO(downloaded.getvalue())) as folder:
        found = {name: folder.read(name) for name in folder.namelist()}
    assert found == {path.name: path.read_bytes() for path in (tmp_path / "report").iterdir()}
    one = Client().get(address(report, "study-report-file", "table3_bias.tex"))
    assert one.content == found["table3_bias.tex"]
    shown = Client().get(address(report, "study-report-part", "table3_bias.csv"))
    assert shown.content == found["table3_bias.csv"]


def test_without_a_batch_the_queries_are_each_run_s_own_or_those_of_version_1_0(
    study: Study,
) -> None:
    partial = io.BytesIO(b"q1 Q0 d1 1 2 x\n")
    add_study_file(study=study, kind="run", stream=partial, filename="P.run", actor="test")

    def rows(population: str, runs: list[str]) -> list[dict[str, object]]:
        request = asked(study, batches=[], runs=runs, paired={}, baseline="", population=population)
        report = create_report(study=study, request=request, actor="test")
        values = report_values(make_report(report_id=report.pk)).read()
        return [result.row() for result in values.results if result.run == "P"]

    def counts(of_runs: list[dict[str, object]]) -> set[tuple[object, object]]:
        bias = [row for row in of_runs if row["measure"] == "RaB"]
        return {(row["n_queries"], row["n_queries_missing"]) for row in bias}

    own = rows("default", ["P", "LSA"])
    assert counts(own) == {(1, 0)}
    assert own == rows("default", ["BM25", "LSA", "P"])
    assert counts(rows("any-run", ["P", "LSA"])) == {(1, 3)}


def test_a_run_keeps_its_figures_when_others_and_queries_that_nobody_asked_for_are_dropped(
    study: Study,
) -> None:
    asked_for = ("q1", "q2")  # those that the batch found non-gendered
    lines = local_path(study.files.get(name="BM25")).read_text().splitlines(keepends=True)
    kept = "".join(line for line in lines if line.split()[0] in asked_for)
    assert len(kept) < len("".join(lines))
    stream = io.BytesIO(kept.encode())
    add_study_file(study=study, kind="run", stream=stream, filename="kept.run", actor="test")

    def rows(run: str, runs: list[str]) -> list[dict[str, object]]:
        request = asked(study, runs=runs, paired={}, baseline="")
        report = create_report(study=study, request=request, actor="test")
        values = report_values(make_report(report_id=report.pk)).read()
        return [{**one.row(), "run": ""} for one in values.results if one.run == run]

    beside_another = rows("BM25", ["BM25", "LSA"])
    assert {row["n_queries"] for row in beside_another} == {len(asked_for)}
    assert rows("BM25", ["BM25"]) == beside_another
    assert rows("kept", ["kept", "LSA"]) == beside_another


def test_the_numbers_are_those_of_score_runs(report: StudyReport) -> None:
    files = {file.name: local_path(file) for file in report.study.files.all()}
    expected = score_runs(
        {name: files[name] for name in RANKINGS},
        open_magnitudes(files[report.parameters["scored"]]),
        requests_of(["RaB", "ARaB"], ["tf", "bool"], [2, 3]),
    ).results
    stored = {one[:4]: one for one in report_values(report).keys}
    page = Client().get(address(report), {"against": "LSA"}).content.decode()
    for one in expected:
        key = (one.run, one.measure, one.magnitude, one.cutoff)
        (found,) = report_values(report).read(lambda k, key=key: k[:4] == key).results  # type: ignore[misc]
        assert key in stored
        labelled = [one.per_query.value[one.qids.index(qid)] for qid in ("q1", "q2")]
        assert found.per_query.value.tolist() == labelled
        assert f"{found.value:.3f}".replace("-0.000", "0.000") in page


def test_the_page_is_honest_safe_and_costs_a_fixed_number_of_statements(
    report: StudyReport, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    with django_assert_max_num_queries(12):
        page = Client().get(address(report)).content.decode()

    assert "Not the judgement of people alone" in page
    assert "labels made from simulated votes (12)" in page
    for file in report.study.files.filter(kind=FileKind.RUN):
        assert file.digest in page
    assert "&lt;b&gt;two&lt;/b&gt;" in page
    assert "<b>two</b>" not in page
    nonsense = dict.fromkeys(("against", "magnitude", "measure", "run", "bin"), "١<x>")
    for name, value in (nonsense | {"cutoff": "9" * 40, "page": "x"}).items():
        other = Client().get(address(report), {name: value})
        assert other.status_code == 400, name
        assert "<x>" not in other.content.decode()


@pytest.mark.long
def test_the_terms_of_its_tests_are_those_that_were_asked_for(study: Study) -> None:
    terms = {
        "test": "paired-t",
        "correction": "bonferroni",
        "family": "report",
        "margin": "RaB=5",
        "detect": "0.5",
    }
    changed = create_report(study=study, request=asked(study, **terms), actor="test")
    made = make_report(report_id=changed.pk)

    views = report_statistics(made)["views"]
    tested = [pair["t_p"] for view in views for pair in view["pairs"] if pair["t_p"] is not None]
    for view in views:
        for pair in view["pairs"]:
            p = pair["t_p"]
            assert pair["t_p_bonferroni"] == (None if p is None else min(1, p * len(tested)))
    (row, *_) = json.loads(Client().get(address(made, "study-report-part", "pairs.json")).content)[
        "rows"
    ]
    (stored,) = views[0]["pairs"]
    assert row["equivalence_p"] == stored["equivalence_p"]
    assert {view["measure"] for view in views if view["power"]} == {
        view["measure"] for view in views
    }
    power = Client().get(address(made, "study-report-part", "power.json"))
    (shown,) = json.loads(power.content)["rows"]
    assert shown.items() >= views[0]["power"][0].items()
    assert row["t_p_bonferroni"] == stored["t_p_bonferroni"]
    table = Client().get(address(made, "study-report-file", "table3_bias.json"))
    assert json.loads(table.content)["record"].items() >= terms.items()


def test_of_drawn_queries_the_page_has_the_corrected_figures_of_the_whole_pool(
    report: StudyReport,
) -> None:
    assert not Client().get(address(report)).context["corrected_sections"]
    batch = report.study.batches.get(pk__in=report.parameters["batches"])
    assert batch.pool is not None
    terms = {"design": SampleDesign.SIMPLE, "seed": 0, "chances": {}, "actor": "test"}
    DrawnSample.objects.create(pool=batch.pool, parent=batch.pool, **terms)
    page = Client().get(address(report))
    [section] = page.context["corrected_sections"]
    assert section["found"].sample.parent == batch.pool
    assert f'id="corrected{batch.pk}"' in page.content.decode()


def test_a_folded_report_has_every_cell_and_sentence(report: StudyReport) -> None:
    shown = Client().get(address(report))
    view, page = shown.context["view"], BeautifulSoup(shown.content, "lxml")
    assert view.tables
    for table in view.tables:
        [frame] = page.select(f"details #{table.name}")
        cells = [" ".join(cell.text.split()) for cell in frame.select("tbody td")]
        rows = itertools.chain(*table.blocks)
        assert cells == [" ".join(view.shown(cell).split()) for row in rows for cell, _ in row]
    [section] = page.select("section.findings")
    assert section.find("p").text == view.headline  # type: ignore[union-attr]
    assert [item.text for item in section.select("details li")] == view.findings


@pytest.mark.long
def test_every_part_comes_in_every_format(report: StudyReport) -> None:
    client = Client()
    for stem in ("table3_bias", "intervals", "pairs", "label_uncertainty", "other_labels"):
        for kind in ("tex", "csv", "md", "json"):
            part = client.get(address(report, "study-report-part", f"{stem}.{kind}"))
            assert (part.status_code, bool(part.content)) == (200, True)
    for kind, start in (("svg", b"<?xml"), ("pdf", b"%PDF"), ("png", b"\x89PNG"), ("csv", b"low")):
        part = client.get(address(report, "study-report-part", f"distribution.{kind}"))
        assert part.content.startswith(start)
    against = client.get(
        address(report, "study-report-part", "bias_against.json"), {"against": "LSA"}
    )
    assert json.loads(against.content)["title"].endswith("from LSA, over non-gendered queries.")
    for name in ("nothing.csv", "pairs.exe", "..", "pairs"):
        assert client.get(address(report, "study-report-part", name)).status_code == 404
    assert client.get(address(report, "study-report-file", "no.csv")).status_code == 404

    content = client.get(address(report, "study-report-part", "other_labels.json")).content
    rows = {row["labels"]: row for row in json.loads(content)["rows"]}
    # By majority q1 and q2 are non-gendered, also when more than half of the votes are asked for.
    assert rows["This report"]["n_queries"] == rows["More than half of the votes"]["n_queries"] == 2
    assert {"Dawid-Skene", "MACE"} <= set(rows)


@pytest.mark.long
def test_a_report_is_asked_for_cancelled_made_in_the_background_and_kept(study: Study) -> None:
    study.reports.all().delete()
    client, scored = Client(), study.files.get(kind=FileKind.MAGNITUDES).name
    given = {
        "runs": ["LSA"],
        "scored": scored,
        "batches": [str(study.batches.get().pk)],
        "category": "n",
        "magnitudes": ["tf"],
        "cutoffs": "2",
        "missing": "error",
    }
    first = client.post(reverse("study-report-new", args=[study.pk]), given)
    again = client.post(reverse("study-report-new", args=[study.pk]), given)
    assert (first.status_code, again.status_code) == (302, 200)
    assert "a report is being made" in again.content.decode()
    report = study.reports.get()
    assert "Waiting" in client.get(address(report)).content.decode()
    client.post(address(report, "study-report-cancel"))
    assert Task.objects.get().state == TaskState.CANCELLED
    assert "Try again" in client.get(address(report)).content.decode()
    client.post(address(report, "study-report-again"))

    task = run_job()

    assert task is not None
    assert (task.state, task.error) == (TaskState.DONE, "")
    assert task.done == task.total == report_steps(report_id=report.pk)
    report.refresh_from_db()
    files = report.files
    assert make_report(report_id=report.pk).files == files
    listed = client.get(reverse("study-reports", args=[study.pk])).content.decode()
    assert f"Report {report.pk}" in listed
    assert client.get(address(report), headers={"HX-Target": "state"}).has_header("HX-Refresh")


@pytest.mark.parametrize("every", [False, pytest.param(True, marks=pytest.mark.long)])
@pytest.mark.long
def test_a_report_that_is_cancelled_while_it_is_made_never_is(study: Study, every: bool) -> None:
    """At every step, also the last, and long before a heartbeat would have told."""
    n_steps = report_steps(report_id=study.reports.get().pk)
    for step in range(1 if every else n_steps - 1, n_steps + 1):
        report = study.reports.get()
        StudyReport.objects.filter(pk=report.pk).update(made_at=None, files={})
        sent = asked_for(report)
        reached, client = iter(range(1, n_steps + 2)), Client()

        def cancelled_meanwhile(
            step: int = step, reached: Iterator[int] = reached, client: Client = client
        ) -> bool:
            if next(reached) == step:
                client.post(address(study.reports.get(), "study-report-cancel"))
            return False

        before = set(files_in(storage_folder()))
        task = run_job(task_id=sent.pk, stopping=cancelled_meanwhile)
        assert task is not None
        assert (step, task.state) == (step, TaskState.CANCELLED)
        assert study.reports.get().made_at is None
        assert set(files_in(storage_folder())) == before
        assert "Try again" in client.get(address(report)).content.decode()


@pytest.mark.parametrize("kind", [FileKind.RUN, FileKind.MAGNITUDES])
def test_what_a_report_was_made_from_stays(report: StudyReport, kind: FileKind) -> None:
    report.study.pools.all().delete()
    file = report.study.files.filter(kind=kind).order_by("name")[0]
    with pytest.raises(InputError, match=str(report.pk)):
        remove(report.study, "file", file)
    report.delete()
    remove(report.study, "file", file)
    assert not report.study.files.filter(pk=file.pk).exists()


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"runs": []}, "run"),
        ({"runs": ["LSA"], "paired": {}}, "'BM25'"),
        ({"scored": "gone"}, "'gone'"),
        ({"category": "o"}, "'o'"),
        ({"batches": [10**9]}, "100000000"),
        ({"background": "X"}, "'X'"),
    ],
)
def test_what_cannot_be_made_is_said_at_once(
    study: Study, changed: dict[str, object], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        do(CREATE_REPORT, study, **asdict(asked(study, **changed)))
    assert not StudyReport.objects.filter(made_at=None).exists()


def test_the_documents_of_a_query_explain_the_bias_that_it_was_pooled_for(
    report: StudyReport,
) -> None:
    batch = report.study.batches.get()
    for query in batch.queries.all():
        found = query_documents(batch=batch, query=query)
        places = query.batch.pool.queries.get(qid=query.qid).places  # type: ignore[union-attr]
        for one in found.runs:
            bias = set(places.filter(run=one.run).values_list("bias", flat=True))
            assert [one.documents[-1].bias] == pytest.approx(sorted(bias))
    page = Client().get(reverse("batch-query", args=[batch.pk, batch.queries.get(qid="q1").pk]))
    text = page.content.decode()
    marked = BeautifulSoup(text, "lxml").select("mark[data-category]")
    assert {("m", "his"), ("f", "she")} <= {(one["data-category"], one.text) for one in marked}
    assert "&lt;script&gt;alert(1)&lt;/script&gt;" in text
    assert "<script>alert" not in text


def test_without_stored_documents_the_page_says_what_to_add(study: Study) -> None:
    study.pools.update(documents={})
    batch = study.batches.get()
    query = batch.queries.get(qid="q1")

    assert "Add the collection" in query_documents(batch=batch, query=query).why_not


def sent_by(form: Tag) -> dict[str, list[str]]:
    """What a browser would send of the form as it stands."""
    sent: dict[str, list[str]] = {}
    for one in form.select("input[name]:not([type=checkbox]), input[type=checkbox][checked]"):
        sent.setdefault(str(one["name"]), []).append(
            str(one.get("value", "on" if one["type"] == "checkbox" else ""))
        )
    for one in form.select("select"):
        chosen = one.select("option[selected]") or one.select("option")[:1]
        sent[str(one["name"])] = [str(option["value"]) for option in chosen]
    return sent


def test_a_duplicated_report_begins_with_the_parameters_of_the_first(study: Study) -> None:
    changed = {"magnitudes": ["bool"], "cutoffs": [3], "baseline": "LSA", "missing": "zero"}
    earlier = create_report(study=study, request=asked(study, **changed), actor="test")
    earlier.refresh_from_db()
    shown = Client().get(address(earlier))
    link = f"{reverse('study-reports', args=[study.pk])}?like={earlier.pk}"
    assert link in shown.content.decode()
    page = BeautifulSoup(Client().get(link).content, "lxml")
    [form] = page.select("form[aria-labelledby=new]")
    Client().post(reverse("study-report-new", args=[study.pk]), sent_by(form))
    made = study.reports.order_by("-pk")[0]
    assert made != earlier
    assert made.parameters == earlier.parameters


@pytest.mark.parametrize("like", ["", "x", "0", "9" * 40, "-1"])
def test_what_is_no_report_is_duplicated_as_a_new_one(study: Study, like: str) -> None:
    page = Client().get(reverse("study-reports", args=[study.pk]), {"like": like})
    assert page.status_code == 200
    assert page.context["form"].initial == {}


@pytest.mark.long
def test_without_labels_the_choice_of_queries_is_unavailable_with_its_reason(study: Study) -> None:
    page = reverse("study-reports", args=[study.pk])
    assert not Client().get(page).context["form"]["category"].field.disabled
    study.batches.update(archived_at=study.created_at)
    form = Client().get(page).context["form"]
    assert form["category"].field.disabled
    assert form["method"].field.disabled
    assert form["category"].help_text


@pytest.mark.long
def test_two_reports_stand_side_by_side(study: Study, report: StudyReport) -> None:
    other = create_report(study=study, request=asked(study, cutoffs=[3], baseline=""), actor="test")
    other = make_report(report_id=other.pk)
    address_of_both = reverse("study-report-compare", args=[study.pk])
    page = Client().get(
        address_of_both, {"left": str(report.pk), "right": str(other.pk), "measure": "RaB:tf"}
    )
    both = page.context["both"]
    assert both.measure == "RaB:tf"
    changed = {term for term, _, _ in both.terms}
    assert {"Cut-offs", "Baseline run"} <= changed
    assert "Runs" not in changed
    values = {(one.run, one.cutoff): one for one in both.values}
    assert set(values) == {(name, cutoff) for name in RANKINGS for cutoff in (2, 3)}
    for name in RANKINGS:
        assert values[name, 3].difference == 0
        assert values[name, 2].right is values[name, 2].difference is None
        assert values[name, 2].left is not None
    table = Client().get(
        address_of_both,
        {"left": str(report.pk), "right": str(other.pk), "measure": "RaB:tf", "as": "csv"},
    )
    _, *rows = csv.reader(io.StringIO(table.getvalue().decode()))
    assert {(run, int(cutoff)): left for _, run, cutoff, left, *_ in rows} == {
        key: "" if one.left is None else str(one.left) for key, one in values.items()
    }
    # From the page of either report, the other one stands beside it.
    for side, of, beside in (("right", report, "left"), ("left", other, "right")):
        page = Client().get(address_of_both, {side: str(of.pk)})
        assert {page.context[side], page.context[beside]} == {report, other}


def test_without_two_reports_the_latest_stand_beside_each_other(study: Study) -> None:
    address = reverse("study-report-compare", args=[study.pk])
    assert Client().get(address, {"left": "0"}).status_code == 400
    page = Client().get(address)
    assert page.status_code == 200
    assert page.context["both"].terms == []
    assert {one.difference for one in page.context["both"].values} <= {0, None}


@pytest.mark.long
def test_a_report_says_how_much_the_bias_depends_on_how_the_collection_was_scored(
    study: Study,
) -> None:
    other = study_score(study=study, tokenizer="whitespace", repair_encoding=True, actor="test")
    scored = study.files.filter(kind=FileKind.MAGNITUDES).exclude(pk=other.pk).get()
    page = BeautifulSoup(Client().get(reverse("study-reports", args=[study.pk])).content, "lxml")
    sent = sent_by(page.select("form[aria-labelledby=new]")[0])
    sent |= {"scored": [scored.name], "sensitivity": [scored.name, other.name]}
    Client().post(reverse("study-report-new", args=[study.pk]), sent)
    report = study.reports.order_by("-pk")[0]
    assert run_job() is not None

    with zipfile.ZipFile(report_path(StudyReport.objects.get(pk=report.pk), FOLDER)) as folder:
        rows = json.loads(folder.read("sensitivity.json"))["rows"]
    # Each measure, two ways of scoring, each magnitude.
    assert len(rows) == 2 * 2 * len(MAGNITUDES)
    assert {row["with_repair"].partition(" ")[0] for row in rows} == {"none", "ftfy"}
    shown = BeautifulSoup(Client().get(address(report)).content, "lxml")
    (table,) = shown.select("#sensitivity")
    assert len(table.select("tbody tr")) == len(rows)
    file = Client().get(address(report, "study-report-part", "sensitivity.csv"))
    assert len(file.content.splitlines()) == 1 + len(rows)

    do(RENAME, study, what="file", number=other.pk, new_name="renamed")
    report.refresh_from_db()
    assert report.parameters["sensitivity"] == [scored.name, "renamed"]


def test_scores_of_another_collection_are_refused(study: Study) -> None:
    first = study.files.get(kind=FileKind.MAGNITUDES)
    StudyFile.objects.filter(kind=FileKind.COLLECTION).update(archived_at=timezone.now())
    stream = io.BytesIO(b"d1\tshe\nd2\the\n")
    add_study_file(
        study=study, kind="collection", stream=stream, filename="other.tsv", actor="test"
    )
    other = study_score(study=study, actor="test")
    with pytest.raises(InputError) as caught:
        do(CREATE_REPORT, study, runs=["LSA"], scored=first.name, sensitivity=[other.name])
    assert caught.value.path == other.name


@pytest.mark.long
def test_a_removed_report_is_gone_a_day_later_with_its_files_and_stays_in_the_log(
    study: Study, django_capture_on_commit_callbacks: DjangoCaptureOnCommitCallbacks
) -> None:
    report = make_report(
        report_id=create_report(study=study, request=asked(study), actor="test").pk
    )
    paths = [one["path"] for one in report.files.values()]
    assert all(store().exists(path) for path in paths)
    with django_capture_on_commit_callbacks(execute=True):
        reply = Client().post(
            reverse("study-remove", args=[study.pk]), {"what": "report", "number": str(report.pk)}
        )
        assert reply["Location"] == reverse("study-put-away", args=[study.pk])
        assert not study.reports.filter(pk=report.pk).exists()
        assert all(store().exists(path) for path in paths)
        age_removed()
    assert not any(store().exists(path) for path in paths)
    (event,) = AuditEvent.objects.filter(study=study, action="deleted for good")
    assert event.detail["number"] == report.pk


def test_a_report_that_is_being_made_or_of_another_study_is_not_removed(study: Study) -> None:
    other = Study.objects.create(name="other")
    theirs = StudyReport.objects.create(study=other, actor="test")
    report = create_report(study=study, request=asked(study), actor="test")
    asked_for(report)
    for number in (theirs.pk, report.pk, 0):
        sent = {"what": "report", "number": str(number)}
        Client().post(reverse("study-remove", args=[study.pk]), sent)
    assert StudyReport.objects.filter(pk__in=[theirs.pk, report.pk]).count() == 2


def test_the_page_leaves_out_what_all_runs_begin_with_and_files_do_not(
    study: Study, report: StudyReport, admin_client: Client
) -> None:
    renamed = {"BM25": "dl20.BM25", "LSA": "dl20.LSA"}
    for name, new in renamed.items():
        study.files.filter(kind=FileKind.RUN, name=name).update(name=new)
    again = create_report(
        study=study,
        request=asked(study, runs=list(renamed.values()), baseline="dl20.BM25", paired={}),
        actor="test",
    )
    make_report(report_id=again.pk)

    address = reverse("study-report", args=[study.pk, again.pk])
    page = BeautifulSoup(admin_client.get(address).content, "html.parser")
    [views] = page.select("#views")
    for part in views.select("details:has(#files, #made-from)"):
        part.decompose()
    assert "dl20." not in views.get_text(" ")
    assert "BM25" in views.get_text(" ")
    assert "without their common beginning dl20." in " ".join(page.get_text(" ").split())
    links = [str(link["href"]) for link in views.select("a[href*='run=']")]
    assert links
    assert all("run=dl20." in link for link in links)
    table = views.select_one(".downloads button[formaction*='.csv']")
    assert table is not None
    assert "dl20.BM25" in admin_client.get(str(table["formaction"])).content.decode()
