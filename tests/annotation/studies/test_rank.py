"""Runs that the site makes: in the background, whole, of rankers that it offers and no others."""

from pathlib import Path

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.core.operations import Actor
from annotation.core.perform import perform, perform_here
from annotation.core.task_queue import task_cancel
from annotation.jobs.execution import run_job
from annotation.models import AuditEvent, Study, StudyFile, Task
from annotation.overview.operations.remove import REMOVE
from annotation.studies.file_store import local_path
from annotation.studies.operations.rank import RANK
from annotation.studies.queries.rankers import model_names
from annotation.vocabulary import FileKind, TaskState
from metrics.errors import InputError
from rankers.registry import RANKERS
from rankers.runs import write_runs
from tests.annotation.studies.material import add, below, collection, queries

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def study(folders: Path) -> Study:
    study = Study.objects.create(name="gender")
    add(study, FileKind.COLLECTION, collection(), "collection.tsv")
    add(study, FileKind.QUERIES, queries(), "queries.tsv")
    return study


def ask(study: Study, **terms: object) -> Task:
    task = perform(RANK, study, {"ranker": "BM25", **terms}, Actor("test"))
    assert isinstance(task, Task)
    return task


def done(task: Task) -> Task:
    found = run_job(task_id=task.pk)
    assert found is not None
    return found


def pairs(text: bytes) -> list[tuple[str, str]]:
    rows = [line.split("\t") for line in text.decode().splitlines()]
    return [(row[0], row[1]) for row in rows]


def test_a_run_has_the_bytes_of_the_ranker(study: Study, tmp_path: Path) -> None:
    task = done(ask(study, depth=7))

    assert (task.state, task.error) == (TaskState.DONE, "")
    assert task.done == task.total == 12
    file = StudyFile.objects.get(study=study, kind=FileKind.RUN)
    made = write_runs([RANKERS["BM25"]], pairs(collection()), pairs(queries()), tmp_path, depth=7)
    assert local_path(file).read_bytes() == made["BM25"].read_bytes()
    assert (file.name, file.summary["ranked"]["ranker"]) == ("BM25", "BM25")


def test_the_same_is_made_once_and_other_terms_need_another_name(study: Study) -> None:
    done(ask(study))
    assert done(ask(study)).state == TaskState.DONE
    with pytest.raises(InputError):
        ask(study, depth=5)
    done(ask(study, depth=5, name="BM25-5"))

    runs = StudyFile.objects.filter(kind=FileKind.RUN)
    assert set(runs.values_list("name", flat=True)) == {"BM25", "BM25-5"}
    assert AuditEvent.objects.filter(action="file added").count() == 4


def test_a_ranking_that_is_cancelled_at_its_last_step_is_not_made(
    study: Study, folders: Path
) -> None:
    task = ask(study)
    before = below(folders)

    def cancelled_meanwhile() -> bool:
        task_cancel(task_id=task.pk)
        return False

    ended = run_job(task_id=task.pk, stopping=cancelled_meanwhile)

    assert ended is not None
    assert ended.state == TaskState.CANCELLED
    assert not StudyFile.objects.filter(kind=FileKind.RUN).exists()
    assert below(folders) == before


@pytest.mark.parametrize(
    "name", ["bert-base-uncased", "../secret", "/etc", "google/bert", "bm25", ".", "a\0b", ""]
)
def test_only_what_the_site_offers_is_ranked_with(
    study: Study, folders: Path, settings: Settings, name: str
) -> None:
    settings.MODELS_DIR = str(folders / "server")
    (folders / "secret").mkdir()
    for part in ("config.json", "model.safetensors"):
        (folders / "secret" / part).write_text("{}")

    with pytest.raises(InputError):
        ask(study, ranker=name, run="A")
    assert not Task.objects.exists()


@pytest.mark.long
def test_only_folders_with_a_card_and_safetensors_are_models(
    folders: Path, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("annotation.studies.queries.rankers.find_spec", lambda _name: object())
    settings.MODELS_DIR = str(folders / "server")
    files = {
        "good": ("config.json", "model.safetensors"),
        "ours": ("model.json", "model.safetensors"),
        "pickled": ("config.json", "pytorch_model.bin"),
        "bare": ("model.safetensors",),
        ".hidden": ("config.json", "model.safetensors"),
        "two words": ("config.json", "model.safetensors"),
        "BM25": ("config.json", "model.safetensors"),
    }
    for name, parts in files.items():
        (folders / "server" / name).mkdir()
        for part in parts:
            (folders / "server" / name / part).write_text("{}")

    assert model_names() == ["good", "ours"]


def test_what_a_run_was_made_from_stays(study: Study) -> None:
    done(ask(study))

    for file in StudyFile.objects.exclude(kind=FileKind.RUN):
        with pytest.raises(InputError):
            perform_here(REMOVE, study, {"what": "file", "number": file.pk}, Actor("test"))


def test_a_collection_beyond_the_limit_is_not_ranked_here(study: Study, settings: Settings) -> None:
    settings.RANKING_LIMIT_MB = 0

    with pytest.raises(InputError):
        ask(study)


def test_a_study_without_queries_is_told_what_it_lacks(folders: Path) -> None:
    study = Study.objects.create(name="empty")
    add(study, FileKind.COLLECTION, collection(), "collection.tsv")

    with pytest.raises(InputError, match="queries"):
        ask(study)


def test_the_button_of_the_page_asks_for_the_run(client: Client, study: Study) -> None:
    page = client.get(reverse("study-detail", args=[study.pk])).content.decode()
    assert all(f'<option value="{name}"' in page for name in RANKERS)
    sent = {"ranker": "QLD", "run": "", "depth": "20", "name": ""}

    client.post(reverse("study-rank", args=[study.pk]), sent)

    assert Task.objects.get().arguments == {"ranker": "QLD", "depth": 20, "name": "QLD"}
    assert done(Task.objects.get()).state == TaskState.DONE
    assert 'id="file-' in client.get(reverse("study-detail", args=[study.pk])).content.decode()
