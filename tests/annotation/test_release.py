"""Releases: tables, their descriptions, and nothing that tells who somebody is."""

import csv
import io
import json
from math import log2
from pathlib import Path
from typing import Any
from urllib.parse import unquote

import pytest
import yaml
from django.core.management import CommandError, call_command
from django.test import Client
from pytest_django import Settings

from annotation.jobs.execution import run_job
from annotation.models import Batch, Study, Task, Worker
from annotation.reports.release.data import LICENSES, read_creators
from annotation.workers.operations.discard_votes import votes_discard
from metrics.errors import InputError

pytestmark = pytest.mark.django_db

VOTES = """query_id,worker,label,gold,query,seconds
q1,A1SECRET,n,,what is rain,2.5
q1,A2SECRET,n,,what is rain,
q1,A3SECRET,n,,what is rain,
q2,A1SECRET,f,,null,
q2,A2SECRET,m,,null,
q3,A1SECRET,n,,=1+1,
q3,A2SECRET,n,,=1+1,
q3,A4SECRET,f,,=1+1,
q3,A3SECRET,u,,=1+1,
g1,A1SECRET,n,n,easy,
"""
TERMS = ("--creators", "Lovelace, Ada (0000-0002-1825-0097); Open Group", "--license", "cc-by-4.0")


@pytest.fixture
def study(tmp_path: Path, settings: Settings) -> Study:
    """A study with one batch, in which the votes of the fourth annotator are discarded."""
    settings.DATA_DIR = tmp_path / "var"
    study = Study.objects.create(name="study", description="Queries about the weather.")
    votes = tmp_path / "votes.csv"
    votes.write_text(VOTES)
    call_command("label", "import-votes", str(votes), "--name", "batch", "--study", "study")
    call_command("label", "decide", "batch")
    batch = Batch.objects.get()
    votes_discard(batch=batch, worker_id="A4SECRET", reason="Guessed.", actor="ada@example.org")
    return study


def released(folder: Path, *options: str) -> dict[str, bytes]:
    call_command("study", "release", "study", *TERMS, *options, "--output", str(folder))
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def rows(content: bytes) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_tables_hold_votes_and_soft_labels(study: Study, tmp_path: Path) -> None:
    """By hand: q2 is one against one, so p = 1/2 and 1 bit; q3 has two votes for n that count."""
    files = released(tmp_path / "out")
    votes, labels = rows(files["votes.csv"]), {row["qid"]: row for row in rows(files["labels.csv"])}
    assert [row["qid"] for row in votes] == ["q1"] * 3 + ["q2"] * 2 + ["q3"] * 4
    assert {row["label"]: row["counts"] for row in votes if row["qid"] == "q3"} == {
        "n": "1", "f": "0", "u": "1",
    }  # fmt: skip
    assert sorted(row["seconds"] for row in votes if row["qid"] == "q1") == ["", "", "2.5"]
    assert labels["q2"]["label"] == "tie"
    assert [float(labels["q2"][name]) for name in ("p_n", "p_f", "p_m", "p_o", "entropy")] == [
        0, 0.5, 0.5, 0, 1,
    ]  # fmt: skip
    assert (labels["q3"]["votes_n"], labels["q3"]["votes_f"]) == ("2", "0")
    assert (labels["q3"]["n_cannot_tell"], labels["q3"]["entropy"]) == ("1", "0.0")
    assert "g1" not in labels
    shares = [float(labels["q1"][f"p_{code}"]) for code in "nfmo"]
    assert float(labels["q1"]["entropy"]) == -sum(p * log2(p) for p in shares if p) + 0.0


def test_names_hold_within_one_release(study: Study, tmp_path: Path) -> None:
    files = released(tmp_path / "out")
    everything = b"".join(files.values())
    for secret in (b"SECRET", b"ada@example.org", b"Guessed", b'"w-', str(tmp_path).encode()):
        assert secret not in everything
    names = {row["annotator"] for row in rows(files["votes.csv"])}
    assert names == {f"annotator-{number}" for number in range(1, 5)}
    assert files == released(tmp_path / "again")


def test_other_votes_deal_the_names_anew(study: Study, tmp_path: Path) -> None:
    """Of 30 annotators, hardly any keeps the number; 30 would all keep theirs were it stable."""
    batches = []
    for name in ("one", "two"):
        votes = tmp_path / f"{name}.csv"
        lines = [f"q{number},W{number},n,what" for number in range(30)]
        votes.write_text("query_id,worker,label,query\n" + "\n".join([*lines, f"{name},W1,n,x\n"]))
        Study.objects.create(name=name)
        call_command("label", "import-votes", str(votes), "--name", name, "--study", name)
        out = tmp_path / f"out-{name}"
        call_command("study", "release", name, *TERMS, "--output", str(out))
        table = rows((out / "votes.csv").read_bytes())
        batches.append({row["qid"]: row["annotator"] for row in table if row["qid"] != name})
    assert sum(batches[0][qid] == batches[1][qid] for qid in batches[0]) < 10


def test_descriptions_name_every_file_and_column(study: Study, tmp_path: Path) -> None:
    """What Croissant, RO-Crate and the card say is what the files have."""
    files = released(tmp_path / "out", "--doi", "10.1234/abc", "--publisher", "Archive")
    croissant = json.loads(files["croissant.json"])
    crate = json.loads(files["ro-crate-metadata.json"])
    card = yaml.safe_load(files["README.md"].decode().split("---\n")[1])
    headers = {
        name: next(csv.reader([content.decode().splitlines()[0]]))
        for name, content in files.items()
        if name.endswith(".csv")
    }
    described = {one["@id"]: one["field"] for one in croissant["recordSet"] if "data" not in one}
    assert {
        f"{name}.csv": [_column(field) for field in fields] for name, fields in described.items()
    } == headers
    assert {
        f"{one['config_name']}.csv": [feature["name"] for feature in one["features"]]
        for one in card["dataset_info"]
    } == headers
    entities = {one["@id"]: one for one in crate["@graph"]}
    root = entities["./"]
    assert {unquote(part["@id"]) for part in root["hasPart"]} == files.keys() - {
        "ro-crate-metadata.json"
    }
    assert entities["ro-crate-metadata.json"]["conformsTo"] == {
        "@id": "https://w3id.org/ro/crate/1.2"
    }
    assert {"name", "description", "license", "datePublished"} <= root.keys()
    assert all(
        one["@id"] in entities
        for one in _references(crate["@graph"])
        if "://w3id" not in one["@id"]
    )
    for name, content in files.items():
        if name in entities and name != "ro-crate-metadata.json":
            assert entities[name]["contentSize"] == str(len(content))
    assert yaml.safe_load(files["CITATION.cff"])["authors"] == [
        {
            "family-names": "Lovelace",
            "given-names": "Ada",
            "orcid": "https://orcid.org/0000-0002-1825-0097",
        },
        {"name": "Open Group"},
    ]
    datacite = json.loads(files["datacite.json"])
    assert (datacite["doi"], datacite["publisher"]) == ("10.1234/abc", {"name": "Archive"})


def _column(field: dict[str, Any]) -> str:
    return str(field["source"]["extract"]["column"])


def _references(value: Any) -> list[dict[str, str]]:
    """Every `{"@id": ...}` that stands for something else."""
    if isinstance(value, list):
        return [one for item in value for one in _references(item)]
    if isinstance(value, dict):
        return [value] if value.keys() == {"@id"} else _references(list(value.values()))
    return []


def test_simulated_votes_are_named_first(study: Study, tmp_path: Path) -> None:
    Worker.objects.update(kind="simulated")
    files = released(tmp_path / "out")
    assert {row["kind"] for row in rows(files["votes.csv"])} == {"simulated"}
    for name in ("README.md", "croissant.json", "datacite.json", "CITATION.cff"):
        assert b"SIMULATED workers, not people" in files[name]


def test_page_makes_a_release_and_hands_it_out(study: Study, client: Client) -> None:
    page = f"/studies/{study.pk}/release/"
    refused = client.post(
        f"{page}make/", {"creators": "1", "license": "cc-by-4.0", "language": "en"}
    )
    assert "is not a name of a creator" in refused.content.decode()
    assert not Task.objects.exists()
    client.post(
        f"{page}make/", {"creators": "Lovelace, Ada", "license": "cc0-1.0", "language": "en"}
    )
    run_job()
    shown = client.get(page).content.decode()
    assert "Download the release" in shown
    assert "Lovelace, Ada" in shown
    answer = client.get(f"{page}file/")
    assert b"".join(answer.streaming_content)[:2] == b"PK"  # type: ignore[attr-defined]


@pytest.mark.parametrize("name", LICENSES)
def test_each_licence_is_named_by_its_address(study: Study, tmp_path: Path, name: str) -> None:
    files = released(tmp_path / "out", "--license", name)
    assert yaml.safe_load(files["README.md"].decode().split("---")[1])["license"] == name
    spdx = LICENSES[name][1]
    assert spdx in json.loads(files["croissant.json"])["license"]


def test_study_without_votes_is_refused(tmp_path: Path) -> None:
    Study.objects.create(name="study")
    with pytest.raises(CommandError, match="no votes and no labels"):
        released(tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("text", ["", " ; ", "123", "x" * 300])
def test_names_of_creators_are_checked(text: str) -> None:
    with pytest.raises(InputError):
        read_creators(text)
