"""Bundles: the same bytes, nothing private, and every number computed again."""

import io
import json
import zipfile
from datetime import date
from pathlib import Path
from urllib.parse import unquote

import pytest
from django.core.management import CommandError
from django.utils import timezone
from pytest_django import Settings

from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.models import Batch, Study
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.operations.request import ReportRequest
from annotation.vocabulary import BatchState
from annotation.workers.operations.discard_votes import votes_discard
from metrics.results.scored_runs import STORED_COLUMNS
from tests import program
from tests.bundles import changed, contents
from tests.commands import run_json
from tests.measured import storages_in
from tests.paired import batch_of_pairs

pytestmark = pytest.mark.django_db

VOTES = """query_id,worker,label,gold,query
q1,A1SECRET,n,,what is rain
q1,A2SECRET,n,,what is rain
q1,A3SECRET,n,,what is rain
q2,A1SECRET,f,,"who is she, really"
q2,A2SECRET,m,,"who is she, really"
q3,A1SECRET,n,,=1+1
q3,A2SECRET,n,,=1+1
q3,A3SECRET,f,,=1+1
q3,A3SECRET,m,,=1+1
g1,A1SECRET,n,n,easy
"""
COLLECTION = "d1\tshe said rain\nd2\the and his brother\nd3\train falls\n"
RUN = """q1 Q0 d1 1 3 a
q1 Q0 d2 2 2 a
q1 Q0 d3 3 1 a
q3 Q0 d2 1 2 a
q9 Q0 d1 1 1 a
"""


def batch_of_votes(votes: Path, *options: str) -> Batch:
    """A batch of these votes in the study "study"."""
    Study.objects.create(name="study")
    run_json("label", "import-votes", votes, "--name", "batch", "--study", "study", *options)
    return Batch.objects.get(name="batch")


@pytest.fixture
def batch(tmp_path: Path, settings: Settings) -> Batch:
    """A labelled batch in a study with a scored collection and a run."""
    settings.STORAGES = storages_in(tmp_path / "storage")
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "collection.tsv").write_text(COLLECTION)
    (tmp_path / "bm25.run").write_text(RUN)
    program.run_json("score", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    batch = batch_of_votes(tmp_path / "votes.csv")
    run_json("label", "decide", "batch")
    run_json(
        "study", "add-files", "study", "--magnitudes", tmp_path / "m.parquet",
        "--run", f"BM25={tmp_path / 'bm25.run'}",
    )  # fmt: skip
    return batch


def bundle(tmp_path: Path, name: str = "b.zip") -> Path:
    """The study with a report on it, as a bundle."""
    study = Study.objects.get()
    if not study.reports.exists():
        numbers = tuple(study.batches.values_list("pk", flat=True))
        request = ReportRequest(runs=("BM25",), scored="m.parquet", batches=numbers)
        make_report(report_id=create_report(study=study, request=request, actor="test").pk)
    run_json("study", "bundle", "study", "--output", tmp_path / name)
    return tmp_path / name


@pytest.mark.long
def test_a_bundle_is_right_and_has_the_same_bytes_again(batch: Batch, tmp_path: Path) -> None:
    first, second = bundle(tmp_path, "1.zip"), bundle(tmp_path, "2.zip")
    assert first.read_bytes() == second.read_bytes()
    found = run_json("study", "verify-bundle", first)
    assert found["ok"]
    assert found["checked"] == {
        "files": 14, "batches": 1, "queries": 4, "votes": 10, "votes that count": 8, "labels": 3,
        "bias values": 16,
    }  # fmt: skip


def test_nothing_private_is_inside(batch: Batch, tmp_path: Path) -> None:
    query_adjudicate(batch=batch, qid="q2", category="o", reason="two", by="Rita Reader")
    with zipfile.ZipFile(bundle(tmp_path)) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist()).decode("latin-1")
        times = {entry.date_time for entry in archive.infolist()}
    for private in ("SECRET", "Rita", str(tmp_path), str(Path.cwd()), "only-for-tests"):
        assert private not in whole
    assert times == {(1980, 1, 1, 0, 0, 0)}
    assert "bm25.run" in whole


@pytest.mark.long
def test_the_bias_is_that_of_score_runs_on_the_exported_queries(
    batch: Batch, tmp_path: Path
) -> None:
    run_json("label", "export", "batch", "--category", "all", "--output", tmp_path / "queries.csv")
    rows = program.run_json(
        "measure", "--scores", tmp_path / "m.parquet", "--queries", tmp_path / "queries.csv",
        "--run", f"BM25={tmp_path / 'bm25.run'}", "--measure", "RaB,ARaB",
        "--magnitude", "tf,bool", "--cutoff", "5,10,20,30",
    )["rows"]  # fmt: skip
    with zipfile.ZipFile(bundle(tmp_path)) as archive:
        lines = archive.read("batches/1/bias.csv").decode().splitlines()
    assert lines[0] == ",".join(STORED_COLUMNS)
    assert lines[1:] == [",".join(str(row[name]) for name in STORED_COLUMNS) for row in rows]


@pytest.mark.long
def test_set_aside_workers_and_adjudications_verify_too(batch: Batch, tmp_path: Path) -> None:
    votes_discard(batch=batch, worker_id="A3SECRET", reason="x", actor="me")
    query_adjudicate(batch=batch, qid="q2", category="o", reason="two", by="Rita Reader")
    run_json("label", "decide", "batch", "--method", "gold_weighted")
    assert run_json("study", "verify-bundle", bundle(tmp_path))["ok"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "change", "difference"),
    [
        ("votes.csv", (",human,f,0,0", ",human,n,0,0"), r"\bf\b.* 2.* 1\b"),
        ("labels.csv", ("q1,n,", "q1,m,"), r"\bq1\b.* m .* n\b"),
        ("labels.csv", ("q3,n,majority,majority,3,2,", "q3,n,majority,majority,3,3,"), r"\bq3\b"),
        ("agreement.json", ('"ties": 1', '"ties": 0'), r"ties.* 0.* 1\b"),
        ("documents.csv", ("q1,1,d1,1,1,3,1,", "q1,1,d1,1,1,3,0,"), "bias.csv:"),
        ("bias.csv", ("BM25,RaB,tf,5,", "BM25,RaB,tf,5,9"), "bias.csv:2"),
        ("figures/bias_per_query.csv", ("q1,RaB,tf,5,", "q1,RaB,tf,5,9"), "per_query.csv:2"),
    ],
    ids=["vote", "label", "count", "agreement", "document", "bias", "per query"],
)
def test_whatever_is_changed_is_found(
    batch: Batch, tmp_path: Path, name: str, change: tuple[str, str], difference: str
) -> None:
    path, name = bundle(tmp_path), f"batches/1/{name}"
    with pytest.raises(CommandError, match=f"{name}: .*SHA-256"):
        run_json("study", "verify-bundle", changed(path, name, *change, sums=False))
    # A forger would write the checksum anew.
    with pytest.raises(CommandError, match=difference):
        run_json("study", "verify-bundle", changed(path, name, *change))


@pytest.mark.long
def test_parameters_that_cannot_be_computed_with_are_refused(batch: Batch, tmp_path: Path) -> None:
    path, name = bundle(tmp_path), "batches/1/batch.json"
    described = json.loads(zipfile.ZipFile(path).read(name))
    resamples = f'"resamples": {described["parameters"]["resamples"]}'
    interval = f'"interval": "{described["parameters"]["interval"]}"'
    for parameter, other in ((resamples, '"resamples": 0'), (interval, '"interval": "any"')):
        with pytest.raises(CommandError, match=r"changed\.zip"):
            run_json("study", "verify-bundle", changed(path, name, parameter, other))


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "zip"), (b"PK\x03\x04 broken", "zip"), (None, "manifest")],
    ids=["empty", "damaged", "another zip"],
)
def test_what_is_no_bundle_is_a_plain_error(
    tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "b.zip"
    if content is None:
        buffer = io.BytesIO()
        with zipfile.ZipFile(buffer, "w") as archive:
            archive.writestr("readme", "hello")
        content = buffer.getvalue()
    path.write_bytes(content)
    with pytest.raises(CommandError, match=message):
        run_json("study", "verify-bundle", path)


def test_a_batch_without_labels_is_bundled_with_its_votes(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(VOTES)
    batch_of_votes(tmp_path / "votes.csv")
    run_json("study", "bundle", "study", "--output", tmp_path / "b.zip")
    found = run_json("study", "verify-bundle", tmp_path / "b.zip")
    assert (found["ok"], found["checked"]["votes"], found["checked"]["labels"]) == (True, 10, 0)


def test_a_batch_of_grades_without_answers_is_bundled(tmp_path: Path) -> None:
    graded = batch_of_pairs("relevance")
    Batch.objects.filter(pk=graded.pk).update(state=BatchState.PUBLISHED)
    path = tmp_path / "b.zip"
    run_json("study", "bundle", graded.study.name, "--output", path)
    assert run_json("study", "verify-bundle", path)["ok"]


@pytest.mark.long
def test_what_is_archived_is_left_out_with_the_reports_on_it(batch: Batch, tmp_path: Path) -> None:
    whole = contents(bundle(tmp_path))
    Batch.objects.update(archived_at=timezone.now())
    rest = contents(bundle(tmp_path))
    assert {name.split("/")[0] for name in whole.keys() - rest.keys()} == {"batches", "reports"}


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (["A=x.run", "A=y.run"], "'A'"),
        (["A=x,y.run"], "x,y.run"),
    ],
)
def test_runs_are_named_as_in_every_other_command(
    batch: Batch, tmp_path: Path, runs: list[str], message: str
) -> None:
    options = [part for run in runs for part in ("--run", run)]
    options += ["--scores", str(tmp_path / "m.parquet")]
    with pytest.raises(CommandError, match=message):
        run_json("label", "compare-methods", "batch", *options)


@pytest.mark.long
@pytest.mark.shared_data
@pytest.mark.parametrize("method", ["majority", "dawid_skene", "mace"])
def test_ten_real_votes_per_query_verify_by_every_method(
    shared_data: Path, tmp_path: Path, method: str
) -> None:
    votes = shared_data / "votes" / "dog4" / "votes.csv"
    batch_of_votes(votes, "--columns", "query_id=task", "--labels", "0=n,1=f,2=m,3=o")
    run_json("label", "decide", "batch", "--method", method)
    run_json("study", "bundle", "study", "--output", tmp_path / "b.zip")
    found = run_json("study", "verify-bundle", tmp_path / "b.zip")
    assert found["ok"]
    assert found["checked"]["votes"] == 8_070


@pytest.mark.long
def test_a_bundle_is_an_ro_crate(batch: Batch, tmp_path: Path) -> None:
    """What RO-Crate 1.1 demands (MUST) of the metadata file, the root and the data entities."""
    files = contents(bundle(tmp_path))
    crate = json.loads(files["ro-crate-metadata.json"])
    assert crate.keys() == {"@context", "@graph"}
    assert crate["@context"] == "https://w3id.org/ro/crate/1.1/context"
    entities = {entity["@id"]: entity for entity in crate["@graph"]}

    # Flat: each entity once, with id and type, and whatever it refers to is another entity.
    assert len(entities) == len(crate["@graph"])
    assert all(entity["@type"] for entity in entities.values())
    told = [value for one in entities.values() for value in one.values()]
    referred = [one for value in told for one in (value if isinstance(value, list) else [value])]
    links = {one["@id"] for one in referred if isinstance(one, dict)}
    assert all(isinstance(one, str | dict) for one in referred)
    assert links <= entities.keys() | {"https://w3id.org/ro/crate/1.1"}

    descriptor = entities["ro-crate-metadata.json"]
    assert descriptor["@type"] == "CreativeWork"
    assert descriptor["about"] == {"@id": "./"}
    assert descriptor["conformsTo"] == {"@id": "https://w3id.org/ro/crate/1.1"}

    root = entities["./"]
    assert root["@type"] == "Dataset"
    assert root["name"]
    assert root["description"]
    assert date.fromisoformat(root["datePublished"])
    assert entities[root["license"]["@id"]]["@type"] == "CreativeWork"

    parts = [part["@id"] for part in root["hasPart"]]
    assert len(parts) == len(set(parts))
    assert {unquote(part) for part in parts} == files.keys() - {"ro-crate-metadata.json"}
    for part in parts:
        assert entities[part]["@type"] == "File"
        size = entities[part].get("contentSize")
        assert size is None or int(size) == len(files[unquote(part)])
    data = {name for name, entity in entities.items() if entity["@type"] == "File"}
    assert data == set(parts)
