"""This version reads the data folders and bundles that released versions wrote, and its own."""

import csv
import io
import json
import tarfile
from pathlib import Path
from typing import Any

import pytest

from tests.bundles import contents
from tests.ports import free_port
from tests.project import Project, new_project
from tests.upgrades.writing import BUNDLE, DATA, FOLDER, STUDY, UNCOLLECTED, write_version

pytestmark = [pytest.mark.long, pytest.mark.timed]

PRESENT = "the present version"
RELEASED = sorted(path.parent.name for path in FOLDER.glob(f"*/{DATA}"))


@pytest.fixture(scope="module", params=[*RELEASED, PRESENT])
def version(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The folder with what a version wrote."""
    if request.param != PRESENT:
        return FOLDER / str(request.param)
    folder = tmp_path_factory.mktemp("written") / "present"
    write_version(folder)
    return folder


@pytest.fixture
def upgraded(version: Path, tmp_path: Path) -> Project:
    """A project with the data folder of the version, migrated."""
    with tarfile.open(version / DATA) as archive:
        archive.extraction_filter = lambda member, _folder: member
        archive.extractall(tmp_path / "data")  # noqa: S202 - we wrote it
    project = Project(data_dir=tmp_path / "data", port=free_port())
    project.migrate()
    return project


def tables(bundle: Path) -> dict[str, Any]:
    """What people and programs answered, and what follows from it.

    Of agreement the numbers, to as many digits as every version writes: warnings are words. Of ties
    version 1.0 counted votes for them.
    """
    kept = (".csv", ".txt", "/scheme.json")
    files = contents(bundle)
    found: dict[str, Any] = {name: of for name, of in files.items() if name.endswith(kept)}
    for name, content in files.items():
        if name.endswith("/agreement.json"):
            found[name] = numbers(json.loads(content))
        if name.endswith("/decisions.csv"):
            rows = list(csv.DictReader(io.StringIO(content.decode(), newline="")))
            found[name] = [row if row["decided"] else row | {"n_for": "0"} for row in rows]
    return found


def numbers(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: numbers(of) for name, of in value.items() if name != "warnings"}
    return round(value, 9) if isinstance(value, float) else value


def test_an_upgraded_study_has_the_same_votes_labels_and_agreement(
    upgraded: Project, version: Path, tmp_path: Path
) -> None:
    upgraded.run("study", "bundle", STUDY, "--output", tmp_path / "again.zip")
    before = tables(version / BUNDLE)
    assert {"batches/1/votes.csv", "batches/2/qrels.median.txt"} <= before.keys()
    assert tables(tmp_path / "again.zip") == before
    assert upgraded.json("site", "check")["broken"] == {}


def test_a_batch_that_was_under_way_is_finished_after_the_upgrade(upgraded: Project) -> None:
    assert upgraded.json("batch", "show", UNCOLLECTED)["n_votes"] == 0
    with upgraded.site():
        upgraded.run("batch", "collect", UNCOLLECTED, "--approve")
    upgraded.run("label", "decide", UNCOLLECTED)
    shown = upgraded.json("batch", "show", UNCOLLECTED)
    assert shown["n_votes"] == shown["n_votes_expected"] > 0
    assert upgraded.json("site", "check")["broken"] == {}


def test_a_bundle_becomes_a_study_with_the_same_votes_labels_and_agreement(
    version: Path, tmp_path: Path
) -> None:
    project = new_project(tmp_path / "data")
    project.run("study", "verify-bundle", version / BUNDLE)
    project.run("study", "import-bundle", version / BUNDLE)
    project.run("study", "bundle", STUDY, "--output", tmp_path / "again.zip")
    assert tables(tmp_path / "again.zip") == tables(version / BUNDLE)
