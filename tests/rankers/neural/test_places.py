"""Models where they are used: in a study on the site, and over a counterfactual collection."""

import json
import shutil
import zipfile
from pathlib import Path

import pytest
from pytest_django import Settings

from annotation.core.operations import Actor
from annotation.core.perform import perform
from annotation.jobs.execution import run_job
from annotation.models import Study, StudyFile, Task
from annotation.reports.operations.reports import create_report, make_report
from annotation.reports.operations.request import ReportRequest
from annotation.reports.queries.reports import FOLDER, report_path
from annotation.studies.file_store import local_path
from annotation.studies.operations.rank import RANK
from annotation.studies.operations.score import study_score
from annotation.vocabulary import FileKind, TaskState
from metrics.errors import InputError
from metrics.runs import read_run
from tests.annotation.studies.conftest import folders  # noqa: F401 - a fixture
from tests.annotation.studies.material import add
from tests.program import run_json
from tests.rankers.neural.material import Material, make_material


@pytest.fixture(scope="module")
def material(tmp_path_factory: pytest.TempPathFactory) -> Material:
    return make_material(tmp_path_factory.mktemp("material"))


@pytest.fixture(scope="module")
def model(material: Material) -> Path:
    """The folder of a network that was trained for a moment."""
    run_json(
        "train", "--model", "knrm", "--qrels", material.qrels, "--run",
        material.run, "--collection", material.collection, "--queries", material.queries,
        "--device", "cpu", "--dimensions", 16, "--output", material.folder / "models" / "knrm",
    )  # fmt: skip
    return material.folder / "models" / "knrm"


def study_of(material: Material) -> Study:
    """A study with the files of the material."""
    study = Study.objects.create(name="neural")
    for kind in (FileKind.COLLECTION, FileKind.QUERIES, FileKind.RUN, FileKind.QRELS):
        path = getattr(material, str(kind))
        add(study, kind, path.read_bytes(), path.name)
    return study


def rank(study: Study) -> Task:
    """Its run re-ranked with the model, as a task that is done."""
    asked = perform(RANK, study, {"ranker": "knrm", "run": "x", "depth": 20}, Actor("test"))
    assert isinstance(asked, Task)
    done = run_job(task_id=asked.pk)
    assert done is not None
    return done


@pytest.mark.django_db(transaction=True)
def test_a_study_re_ranks_a_run_with_a_model_of_the_site(
    material: Material,
    model: Path,
    folders: Path,  # noqa: F811 - the fixture
    settings: Settings,
) -> None:
    settings.MODELS_DIR = str(model.parent)
    pickled = shutil.copytree(model, folders / "server" / "pickled")
    (pickled / "model.safetensors").rename(pickled / "pytorch_model.bin")
    study = study_of(material)

    done = rank(study)

    assert (done.state, done.error, done.done) == (TaskState.DONE, "", 10)
    file = StudyFile.objects.get(kind=FileKind.RUN, name="knrm")
    run_json(
        "rerank", "--model", model, "--run", material.run, "--collection", material.collection,
        "--queries", material.queries, "--depth", 20, "--device", "cpu",
        "--output", folders / "knrm.run",
    )  # fmt: skip
    assert local_path(file).read_bytes() == (folders / "knrm.run").read_bytes()
    assert file.summary["ranked"]["n_parameters"] > 0
    settings.MODELS_DIR = str(pickled.parent)
    with pytest.raises(InputError):
        perform(RANK, study, {"ranker": "pickled", "run": "x"}, Actor("test"))


@pytest.mark.django_db(transaction=True)
def test_a_report_of_the_site_says_how_many_parameters_a_model_has(
    material: Material,
    model: Path,
    folders: Path,  # noqa: F811 - the fixture
    settings: Settings,
) -> None:
    settings.MODELS_DIR = str(model.parent)
    study = study_of(material)
    rank(study)
    scored = study_score(study=study, actor="test").name
    asked = ReportRequest(runs=["x", "knrm"], scored=scored, with_qrels=True)

    report = make_report(report_id=create_report(study=study, request=asked, actor="test").pk)

    with zipfile.ZipFile(report_path(report, FOLDER)) as files:
        table = json.loads(files.read("table1_effectiveness.json"))
    card = json.loads((model / "model.json").read_text())
    found = {row["run"]: row["n_parameters"] for row in table["rows"]}
    assert found == {"x": None, "knrm": card["parameters"]["total"]}


def test_a_model_re_ranks_the_same_candidates_of_both_collections(
    material: Material, model: Path, tmp_path: Path
) -> None:
    made = run_json(
        "rank", "--counterfactual", "--collection", material.collection,
        "--queries", material.queries, "--model", model, "--run", material.run, "--depth", 20,
        "--device", "cpu", "--output", tmp_path,
    )  # fmt: skip

    pair = made["runs"]["knrm"]
    before, after = (read_run(pair[side]) for side in ("original", "counterfactual"))
    assert before.qids == after.qids
    assert all(set(before.documents(qid)) == set(after.documents(qid)) for qid in before.qids)
    assert 0 < pair["crbo"] <= 1
