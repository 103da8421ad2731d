"""Bundles: the same bytes, nothing private, and every number computed again."""

import io
import json
import zipfile
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from annotation.bundle.archive import read_archive, sha256, write_archive
from annotation.models import Batch
from annotation.services.adjudication import query_adjudicate
from annotation.services.quality import worker_set_aside
from metrics.scored_runs import COLUMNS

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


def said(command: str, *arguments: str | Path) -> dict[str, Any]:
    out = StringIO()
    call_command(command, *map(str, arguments), "--json", "--quiet", stdout=out)
    result: dict[str, Any] = json.loads(out.getvalue())
    return result


@pytest.fixture
def study(tmp_path: Path) -> Batch:
    (tmp_path / "votes.csv").write_text(VOTES)
    (tmp_path / "collection.tsv").write_text(COLLECTION)
    (tmp_path / "bm25.run").write_text(RUN)
    said("score_collection", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    said("import_votes", tmp_path / "votes.csv", "--name", "study")
    said("label_batch", "study")
    return Batch.objects.get(name="study")


def bundle(tmp_path: Path, name: str = "b.zip") -> Path:
    said(
        "bundle", "study", "--output", tmp_path / name,
        "--magnitudes", tmp_path / "m.parquet", "--run", f"BM25={tmp_path / 'bm25.run'}",
    )  # fmt: skip
    return tmp_path / name


def changed(path: Path, name: str, old: str, new: str, *, sums: bool = False) -> Path:
    """The bundle with one file changed; with `sums` its checksum too, as a forger would."""
    files = read_archive(path)
    text = files[name].decode()
    assert old in text
    files[name] = text.replace(old, new, 1).encode()
    if sums:
        manifest = json.loads(files["manifest.json"])
        manifest["files"][name] = sha256(files[name])
        files["manifest.json"] = json.dumps(manifest).encode()
    out = path.with_name("changed.zip")
    write_archive(out, files)
    return out


def test_a_bundle_is_right_and_has_the_same_bytes_again(study: Batch, tmp_path: Path) -> None:
    first, second = bundle(tmp_path, "1.zip"), bundle(tmp_path, "2.zip")
    assert first.read_bytes() == second.read_bytes()
    found = said("verify_bundle", first)
    assert found["ok"]
    assert found["checked"] == {
        "files": 8, "queries": 4, "votes": 10, "labels": 3, "bias values": 16,
    }  # fmt: skip


def test_nothing_private_is_inside(study: Batch, tmp_path: Path) -> None:
    query_adjudicate(batch=study, qid="q2", category="o", reason="two", by="Rita Reader")
    with zipfile.ZipFile(bundle(tmp_path)) as archive:
        whole = b"".join(archive.read(name) for name in archive.namelist()).decode()
        times = {entry.date_time for entry in archive.infolist()}
    for private in ("SECRET", "Rita", str(tmp_path), str(Path.cwd()), "only-for-tests"):
        assert private not in whole
    assert times == {(1980, 1, 1, 0, 0, 0)}
    assert "bm25.run" in whole


def test_the_bias_is_that_of_score_runs_on_the_exported_queries(
    study: Batch, tmp_path: Path
) -> None:
    said("export_queries", "study", "--output", tmp_path / "queries.csv")
    rows = said(
        "score_runs", "--magnitudes", tmp_path / "m.parquet", "--queries", tmp_path / "queries.csv",
        "--run", f"BM25={tmp_path / 'bm25.run'}", "--measures", "RaB,ARaB",
        "--magnitude", "tf,bool", "--cutoffs", "5,10,20,30",
    )["rows"]  # fmt: skip
    with zipfile.ZipFile(bundle(tmp_path)) as archive:
        lines = archive.read("bias.csv").decode().splitlines()
    assert lines[0] == ",".join(COLUMNS)
    assert lines[1:] == [",".join(str(row[name]) for name in COLUMNS) for row in rows]


def test_set_aside_workers_and_adjudications_verify_too(study: Batch, tmp_path: Path) -> None:
    worker_set_aside(batch=study, worker_id="A3SECRET", reason="x", actor="me")
    query_adjudicate(batch=study, qid="q2", category="o", reason="two", by="Rita Reader")
    said("label_batch", "study", "--method", "gold_weighted")
    assert said("verify_bundle", bundle(tmp_path))["ok"]


@pytest.mark.parametrize(
    ("name", "change", "difference"),
    [
        ("votes.csv", (",human,f,0,0", ",human,n,0,0"), "categories: f is 2, computed 1"),
        ("labels.csv", ("q1,n,", "q1,m,"), r"q1 is m \(3 of 3 votes\), computed n"),
        ("labels.csv", ("q3,n,majority,majority,3,2,", "q3,n,majority,majority,3,3,"), "q3 is n"),
        ("agreement.json", ('"ties": 1', '"ties": 0'), "ties is 0, computed 1"),
        ("documents.csv", ("q1,1,d1,1,1,3,1,", "q1,1,d1,1,1,3,0,"), "bias.csv:"),
        ("bias.csv", ("BM25,RaB,tf,5,", "BM25,RaB,tf,5,9"), "bias.csv:2: value is"),
        ("figures/bias_per_query.csv", ("q1,RaB,tf,5,", "q1,RaB,tf,5,9"), "per_query.csv:2"),
    ],
    ids=["vote", "label", "count", "agreement", "document", "bias", "per query"],
)
def test_whatever_is_changed_is_found(
    study: Batch, tmp_path: Path, name: str, change: tuple[str, str], difference: str
) -> None:
    path = bundle(tmp_path)
    with pytest.raises(CommandError, match=f"{name}: its SHA-256"):
        said("verify_bundle", changed(path, name, *change))
    # A forger would write the checksum anew.
    with pytest.raises(CommandError, match=difference):
        said("verify_bundle", changed(path, name, *change, sums=True))


@pytest.mark.parametrize(
    ("content", "message"),
    [(b"", "is no zip"), (b"PK\x03\x04 broken", "is no zip"), (None, "has no manifest")],
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
        said("verify_bundle", path)


def test_a_batch_without_labels_makes_no_bundle(tmp_path: Path) -> None:
    (tmp_path / "votes.csv").write_text(VOTES)
    said("import_votes", tmp_path / "votes.csv", "--name", "study")
    with pytest.raises(CommandError, match="no labels yet"):
        said("bundle", "study", "--output", tmp_path / "b.zip")
    assert not (tmp_path / "b.zip").exists()


def test_runs_and_magnitudes_need_each_other(study: Batch, tmp_path: Path) -> None:
    with pytest.raises(CommandError, match="need each other"):
        said("bundle", "study", "--output", tmp_path / "b.zip", "--run", "A=x.run")


@pytest.mark.parametrize(
    ("runs", "message"),
    [
        (["A=x.run", "A=y.run"], "two runs are named 'A'"),
        (["A=x,y.run"], "x,y.run: no such file"),
    ],
)
def test_runs_are_named_as_in_every_other_command(
    study: Batch, tmp_path: Path, runs: list[str], message: str
) -> None:
    (tmp_path / "collection.tsv").write_text("d1\tshe said\n")
    said("score_collection", tmp_path / "collection.tsv", "--output", tmp_path / "m.parquet")
    options = [part for run in runs for part in ("--run", run)]
    options += ["--magnitudes", str(tmp_path / "m.parquet")]
    with pytest.raises(CommandError, match=message):
        said("bundle", "study", "--output", tmp_path / "b.zip", *options)
    with pytest.raises(CommandError, match=message):
        said("compare_methods", "study", *options)
    assert not (tmp_path / "b.zip").exists()


@pytest.mark.shared_data
@pytest.mark.parametrize("method", ["majority", "dawid_skene", "mace"])
def test_ten_real_votes_per_query_verify_by_every_method(
    shared_data: Path, tmp_path: Path, method: str
) -> None:
    said(
        "import_votes", shared_data / "votes" / "dog4" / "votes.csv", "--name", "study",
        "--columns", "query_id=task", "--labels", "0=n,1=f,2=m,3=o",
    )  # fmt: skip
    said("label_batch", "study", "--method", method)
    said("bundle", "study", "--output", tmp_path / "b.zip")
    found = said("verify_bundle", tmp_path / "b.zip")
    assert found["ok"]
    assert found["checked"]["votes"] == 8_070
