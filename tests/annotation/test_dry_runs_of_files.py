"""A dry run of what takes a file reads it, fails as the operation does, and stores nothing."""

from collections.abc import Callable
from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.core.commands import OperationCommand, words_of_command
from annotation.core.operations import Operation
from annotation.core.parameters import PathField, fields_of
from annotation.jobs.registry import OPERATIONS
from annotation.management.nouns import command_of
from annotation.models import Batch, Study
from annotation.studies.operations.add_file import StreamField
from tests.commands import failure, run, run_json
from tests.judged_pairs import pairs_batch
from tests.measured import measured_study, storages_in
from tests.study import a_study, stored_batch, stored_pool, stored_study
from tests.tables import everything

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

#: The words of each command before and after its file.
COMMANDS = {
    "import approvals": (["batch", "import-approvals", "local"], []),
    "import responses": (["batch", "import-responses", "asked"], []),
    "import labels": (["label", "import"], ["--name", "released"]),
    "import qrels": (["label", "import-qrels", "pairs"], []),
    "import model labels": (["label", "import-model-labels", "labelled"], []),
    "import bundle": (["study", "import-bundle"], []),
}
FILES = {
    "nowhere.csv": None,
    "empty.csv": b"",
    "other.csv": b"colour,shape\nred,round\n",
    "binary.csv": bytes(range(256)),
    "cut.csv": b"PK\x03\x04" + b"\0" * 40,
}


@pytest.fixture(autouse=True)
def stored(settings: Settings, tmp_path_factory: pytest.TempPathFactory) -> None:
    settings.MTURK_LOCAL_KEY_FILE = tmp_path_factory.mktemp("keys") / "crowd-key.json"
    run("crowd", "key")
    pairs_batch(a_study("judged"))
    batch = stored_study(2)
    Batch.objects.filter(pk=batch.pk).update(name="local", environment="local")
    Study.objects.filter(pk=batch.study.pk).update(name="labelled")
    asked = stored_batch(stored_pool(3, "asked", batch.study), "asked", "prolific")
    Batch.objects.filter(pk=asked.pk).update(state="published")


def of_files() -> list[str]:
    """The operations whose command has a dry run and takes a file."""
    names = []
    for operation in OPERATIONS:
        fields = fields_of(operation.parameters).values()
        kinds = [getattr(field, "child", field) for field in fields]
        words = words_of_command(operation)
        command = command_of(*words) if words else None
        takes_file = any(isinstance(kind, PathField | StreamField) for kind in kinds)
        if takes_file and isinstance(command, OperationCommand):
            assert type(operation).rehearse is not Operation.rehearse, operation.name
            names.append(operation.name)
    return names


def test_every_operation_that_takes_a_file_is_tried_here() -> None:
    assert sorted(of_files()) == sorted(COMMANDS)


@pytest.mark.parametrize("file", FILES)
@pytest.mark.parametrize("name", COMMANDS)
def test_a_dry_run_fails_as_the_operation_does(name: str, file: str, tmp_path: Path) -> None:
    path, content = tmp_path / file, FILES[file]
    if content is not None:
        path.write_bytes(content)
    before, after = COMMANDS[name]
    refused = failure(*before, path, *after, "--dry-run")
    assert refused == failure(*before, path, *after)
    assert file in refused


def labels(folder: Path) -> list[object]:
    path = folder / "labels.csv"
    path.write_text("1,who is she,f\n2,what is it,n\n")
    return ["label", "import", path, "--name", "released"]


def qrels(folder: Path) -> list[object]:
    path = folder / "nist.qrels"
    path.write_text("7 0 D1 3\n")
    return ["label", "import-qrels", "pairs", path]


def model_labels(folder: Path) -> list[object]:
    path = folder / "gpt.qrels"
    path.write_text("7 0 D1 3\n")
    return ["label", "import-model-labels", "judged", path]


@pytest.mark.parametrize("made", [labels, qrels, model_labels])
def test_a_dry_run_of_a_good_file_stores_nothing(
    made: Callable[[Path], list[object]], tmp_path: Path
) -> None:
    words, before = made(tmp_path), everything()
    told = run_json(*words, "--dry-run")
    assert told["cost"] == "0.00"
    assert told["facts"]["It would report"]
    assert everything() == before
    run(*words)
    assert everything() != before


def test_a_name_that_is_taken_is_refused_by_the_dry_run(tmp_path: Path) -> None:
    words = labels(tmp_path)
    run(*words)
    assert failure(*words, "--dry-run") == failure(*words)


def test_a_dry_run_of_a_bundle_leaves_no_study_and_no_file(
    settings: Settings, tmp_path: Path
) -> None:
    settings.STORAGES = storages_in(tmp_path / "first")
    study = measured_study(tmp_path)
    path = tmp_path / "b.zip"
    run("study", "bundle", study.name, "--output", path)
    settings.STORAGES = storages_in(tmp_path / "second")
    before = everything()
    told = run_json("study", "import-bundle", path, "--name", "again", "--dry-run")
    assert "again" in told["facts"]["It would report"]
    assert everything() == before
    assert [file for file in (tmp_path / "second").rglob("*") if file.is_file()] == []
    a_study("taken")
    taken = ["study", "import-bundle", path, "--name", "taken"]
    assert failure(*taken, "--dry-run") == failure(*taken)


def test_pointing_to_a_file_is_tried_as_well(settings: Settings, tmp_path: Path) -> None:
    settings.FILES_DIR = str(tmp_path)
    (tmp_path / "queries.tsv").write_text("1\twho is she\n")
    words = ["study", "point-to-file", "judged", "--kind", "queries", "--where"]
    assert failure(*words, "none.tsv", "--dry-run") == failure(*words, "none.tsv")
    before = everything()
    assert run_json(*words, "queries.tsv", "--dry-run")["facts"]
    assert everything() == before
