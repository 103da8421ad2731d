"""A report whose judgments are the labels of batches of pairs, and a model's beside them."""

import csv
import io
import json
import zipfile
from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.labels.operations.decide import batch_label
from annotation.labels.operations.draw_sample import DRAW_SAMPLE
from annotation.labels.operations.imports import record_votes
from annotation.models import (
    Batch,
    BatchQuery,
    ModelRater,
    SchemeVersion,
    Study,
    StudyReport,
    Vote,
    Worker,
)
from annotation.reports.operations.create import CREATE_REPORT
from annotation.reports.operations.reports import make_report
from annotation.reports.queries.reports import FOLDER, STATISTICS, report_path
from annotation.schemes import built_in_scheme
from annotation.studies.file_store import local_path
from annotation.studies.operations.pool_pairs import POOL_PAIRS
from annotation.vocabulary import BatchState, Environment, FileKind
from metrics.errors import InputError
from metrics.io.pair_ids import pair_id
from pooling.models import Pool
from tests import program
from tests.annotation.test_import_bundle import import_bundle
from tests.commands import run
from tests.measured import QUERIES, RANKINGS, measured_study, storages_in
from tests.paired import batch_of_pairs
from tests.performing import do
from tests.study import stored_pairs

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(tmp_path: Path, settings: Settings) -> Study:
    settings.STORAGES = storages_in(tmp_path / "storage")
    return measured_study(tmp_path)


def judged_batch(study: Study, scheme: str, codes: str) -> Batch:
    """All pairs of the study's queries and passages, which one person labelled by `codes`."""
    asks = built_in_scheme(scheme)
    batch = Batch.objects.create(
        name=scheme,
        study=study,
        environment=Environment.IMPORTED,
        state=BatchState.IMPORTED,
        asks=asks.as_json(),
    )
    SchemeVersion.objects.create(batch=batch, number=1, content=batch.asks, created_by="test")
    pairs = [(qid, f"d{number}") for qid in QUERIES for number in range(1, 5)]
    queries = BatchQuery.objects.bulk_create(
        BatchQuery(
            batch=batch,
            qid=pair_id(qid, docno),
            text=QUERIES[qid],
            passage=f"passage {docno}",
            position=position,
        )
        for position, (qid, docno) in enumerate(pairs)
    )
    worker, _ = Worker.objects.get_or_create(environment=batch.environment, worker_id="judge")
    record_votes(
        (Vote(query=query, worker=worker), [(scheme, codes[place % len(codes)])])
        for place, query in enumerate(queries)
    )
    batch_label(batch=batch, actor="test")
    return batch


def judged_by_model(batch: Batch, folder: Path, code: str) -> ModelRater:
    """A model that says `code` of each pair."""
    table = folder / f"{batch.name}.csv"
    lines = [f"{row.qid.replace(' ', ',')},{code}\n" for row in batch.queries.all()]
    if batch.name == "relevance":
        lines = [" 0 ".join(row.qid.split()) + f" {code}\n" for row in batch.queries.all()]
    else:
        lines = ["qid,docno,label\n", *lines]
    table.write_text("".join(lines))
    options = ("--model", "judge", "--question", batch.name)
    run("label", "import-model-labels", batch.study.name, table, *options)
    return batch.study.model_raters.get(question=batch.name)


def report_of(study: Study, **asked: object) -> StudyReport:
    scored = study.files.get(kind=FileKind.MAGNITUDES).name
    report, _task = do(
        CREATE_REPORT, study, runs=list(RANKINGS), scored=scored, **({"cutoffs": [2, 3]} | asked)
    ).made
    make_report(report_id=report.pk)
    report.refresh_from_db()
    assert isinstance(report, StudyReport)
    return report


def table_of(report: StudyReport, name: str) -> list[dict[str, str]]:
    with zipfile.ZipFile(report_path(report, FOLDER)) as folder:
        return list(csv.DictReader(io.StringIO(folder.read(f"{name}.csv").decode())))


def test_labels_of_relevance_are_judgments(study: Study) -> None:
    batch = judged_batch(study, "relevance", "0123")
    report = report_of(study, judgments=[batch.pk], judged_by="median")
    rows = {row["run"]: row for row in table_of(report, "table1_effectiveness")}
    # Of the first two passages of each query, as d3 and d4 are relevant.
    assert float(rows["BM25"]["MRR"]) == (0 + 0 + 1 + 1) / 4
    assert report.inputs["judgments"] == ["relevance"]
    with zipfile.ZipFile(report_path(report, FOLDER)) as folder:
        assert "judged_figures.csv" not in folder.namelist()


def test_where_people_judged_all_the_report_says_that_nothing_is_estimated(
    study: Study, tmp_path: Path, admin_client: Client
) -> None:
    batch = judged_batch(study, "relevance", "0123")
    model = judged_by_model(batch, tmp_path, "2")
    report = report_of(study, judgments=[batch.pk], judges=[model.pk], target="pool")
    rows = [row for row in table_of(report, "judged_figures") if row["source"] == "people"]
    assert rows
    assert all(row["low"] == row["high"] == row["value"] for row in rows)
    page = admin_client.get(reverse("study-report", args=[study.pk, report.pk])).content.decode()
    assert "An interval without width: people judged every query" in page
    assert "so that nothing is estimated" in page


def test_site_and_command_make_the_same_section(study: Study, tmp_path: Path) -> None:
    batches = [judged_batch(study, "relevance", "0123"), judged_batch(study, "passage_gender", "m")]
    models = [
        judged_by_model(batch, tmp_path, code) for batch, code in zip(batches, "2f", strict=True)
    ]
    report = report_of(
        study,
        judgments=[batch.pk for batch in batches],
        judges=[model.pk for model in models],
        baseline="LSA",
        half_width=0.1,
    )
    qrels = {"--qrels": "0123", "--judge-qrels": "2", "--passages": "m", "--judge-passages": "f"}
    options: list[str | Path] = []
    for option, codes in qrels.items():
        file = tmp_path / f"{option}.txt"
        rows = enumerate(batches[0].queries.order_by("position"))
        lines = [" 0 ".join(row.qid.split()) + f" {codes[n % len(codes)]}\n" for n, row in rows]
        file.write_text("".join(lines))
        options += [option, file]
    queries = tmp_path / "queries.txt"
    queries.write_text("".join(f"{qid}\n" for qid in QUERIES))
    for name in RANKINGS:
        run_file = study.files.get(kind=FileKind.RUN, name=name)
        options += ["--run", f"{name}={local_path(run_file)}"]
    folder = tmp_path / "report"
    program.run(
        *("report", "--queries", queries, *options, "--output", folder, "--cutoff", "2,3"),
        *("--scores", local_path(study.files.get(kind=FileKind.MAGNITUDES))),
        *("--baseline", "LSA", "--half-width", "0.1", "--partly-judged", "skip"),
    )
    with (folder / "judged_figures.csv").open(newline="") as table:
        made = list(csv.DictReader(table))
    assert made == table_of(report, "judged_figures")
    assert {row["source"] for row in made} == {"list", "people", "model", "corrected"}


def test_pairs_that_end_in_a_tie_are_counted_in_the_report(study: Study, tmp_path: Path) -> None:
    batch = judged_batch(study, "passage_gender", "m")
    model = judged_by_model(batch, tmp_path, "f")
    other = Worker.objects.create(environment=batch.environment, worker_id="other")
    votes = (Vote(query=query, worker=other) for query in batch.queries.order_by("pk")[:3])
    record_votes((vote, [("passage_gender", "f")]) for vote in votes)
    batch_label(batch=batch, actor="test")
    report = report_of(study, judgments=[batch.pk], judges=[model.pk])
    notes = json.loads(report_path(report, STATISTICS).read_bytes())["judged"]["notes"]
    assert any(note.startswith("3 pairs of 'passage_gender'") for note in notes)


def test_an_undrawn_batch_gives_no_intervals_beside_a_model(study: Study, tmp_path: Path) -> None:
    """Its queries are not a random sample of those that the model judged."""
    batch = judged_batch(study, "passage_gender", "mf")
    model = judged_by_model(batch, tmp_path, "f")
    qid = min(QUERIES)
    batch.queries.filter(qid__startswith=f"{qid} ").delete()
    report = report_of(study, judgments=[batch.pk], judges=[model.pk])
    rows = [row for row in table_of(report, "judged_figures") if row["source"] == "corrected"]
    assert rows
    assert {row["value"] for row in rows} == {""}
    assert all("design" in row["withheld"] for row in rows)


def test_labels_of_gender_stand_beside_the_word_list(study: Study) -> None:
    batch = judged_batch(study, "passage_gender", "mfnb")
    report = report_of(study, judgments=[batch.pk])
    rows = table_of(report, "judged_figures")
    found = {(row["run"], row["source"]): float(row["value"]) for row in rows}
    assert set(found) == {(name, source) for name in RANKINGS for source in ("list", "people")}
    # Of BM25's first two: d1 m and d2 f; d2 f and d1 m; d3 n and d4 both; d4 and d3.
    assert found["BM25", "people"] == 0
    # Of LSA's: d3 n, d1 m; d4, d2 f; d1 m, d3; d2 f, d4.
    assert found["LSA", "people"] == 0


def test_people_a_model_and_both_are_one_table(
    study: Study, admin_client: Client, tmp_path: Path
) -> None:
    batches = [
        judged_batch(study, "relevance", "0123"),
        judged_batch(study, "passage_gender", "mf"),
    ]
    models = [
        judged_by_model(batch, tmp_path, code) for batch, code in zip(batches, "2m", strict=True)
    ]
    page = admin_client.get(reverse("study-reports", args=[study.pk])).content.decode()
    assert "Judgments of" in page
    assert "judge: How well does the passage answer the query?" in page
    report = report_of(
        study, judgments=[batch.pk for batch in batches], judges=[model.pk for model in models]
    )
    rows = table_of(report, "judged_figures")
    sources = {"nDCG": {"people", "model", "corrected"},
               "LabelRaB": {"list", "people", "model", "corrected"}}  # fmt: skip
    for measure, expected in sources.items():
        assert {row["source"] for row in rows if row["measure"] == measure} == expected
    # People judged every query: nothing is left for the model to tell.
    value = {(row["run"], row["measure"], row["source"]): float(row["value"]) for row in rows}
    for name in RANKINGS:
        for measure in sources:
            assert value[name, measure, "corrected"] == pytest.approx(
                value[name, measure, "people"]
            )
    shown = admin_client.get(reverse("study-report", args=[study.pk, report.pk]))
    assert 'id="judged_figures"' in shown.content.decode()
    assert "By people, a model, and both" in shown.content.decode()
    path = tmp_path / "b.zip"
    run("study", "bundle", study.name, "--output", path)
    copy = import_bundle(path, name="elsewhere").made.reports.get()
    names = {batch.pk: batch.name for batch in copy.study.batches.all()}
    judged = [names[number] for number in copy.parameters["judgments"]]
    assert judged == ["relevance 2", "passage_gender 2"]
    assert set(copy.parameters["judges"]) == set(
        copy.study.model_raters.values_list("pk", flat=True)
    )


def test_a_report_deeper_than_the_pool_of_drawn_pairs_is_refused(
    study: Study, tmp_path: Path
) -> None:
    """A pair below the pool's depth could not be drawn: it has no chance."""
    do(POOL_PAIRS, study, name="pairs", cutoff=2)
    do(DRAW_SAMPLE, study, pool="pairs", size=10, name="drawn", design="simple")
    sample = Pool.objects.get(name="drawn")
    batch = batch_of_pairs("relevance", name="relevance", pool=sample.pk)
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    worker = Worker.objects.create(environment=batch.environment, worker_id="judge")
    votes = (Vote(query=pair, worker=worker) for pair in batch.queries.all())
    record_votes((vote, [("relevance", "1")]) for vote in votes)
    batch_label(batch=batch, actor="test")
    model = judged_by_model(batch, tmp_path, "2")
    words = "of the first 2 passages of each query, and the report looks at 3"
    with pytest.raises(InputError, match=words):
        report_of(study, judgments=[batch.pk], judges=[model.pk], cutoffs=[3])


def test_judgments_that_do_not_fit_are_refused(study: Study, tmp_path: Path) -> None:
    batch = judged_batch(study, "relevance", "0123")
    model = judged_by_model(batch, tmp_path, "2")
    queries = study.batches.get(name="b")
    for asked, message in (
        ({"judges": [model.pk]}, "a model's relevance alone gives no interval"),
        ({"judgments": [queries.pk]}, "'b' judges queries"),
        ({"batches": [batch.pk]}, "'relevance' judges pairs of query and passage"),
        ({"judgments": [10**6]}, "no batch number"),
        ({"judges": [10**6], "judgments": [batch.pk]}, "no model number"),
    ):
        with pytest.raises(InputError, match=message):
            report_of(study, **asked)


def test_the_form_proposes_what_judged_the_pairs_of_the_batch(
    study: Study, admin_client: Client, tmp_path: Path
) -> None:
    batch = judged_batch(study, "relevance", "0123")
    model = judged_by_model(batch, tmp_path, "2")
    address = reverse("study-reports", args=[study.pk])
    plain = admin_client.get(address).context["form"]
    assert (plain["judgments"].value(), plain["judges"].value()) == ([], [])
    form = admin_client.get(address, {"batch": batch.pk}).context["form"]
    assert form["judgments"].value() == [str(batch.pk)]
    assert form["judges"].value() == [str(model.pk)]
    assert form["cutoffs"].value() == plain["cutoffs"].value()
    for depth, proposed in ((3, "3"), (10, "5,10")):
        Batch.objects.filter(pk=batch.pk).update(pool=pool_of_depth(study, depth))
        form = admin_client.get(address, {"batch": batch.pk}).context["form"]
        assert form["cutoffs"].value() == proposed


def pool_of_depth(study: Study, depth: int) -> Pool:
    pool = stored_pairs(2, f"depth {depth}", study)
    Pool.objects.filter(pk=pool.pk).update(cutoff=depth)
    return pool
