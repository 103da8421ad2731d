"""Files of a batch that the pages give away, and the code that they show for reading them."""

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.core.operations import Actor, NotPermittedError
from annotation.core.perform import perform
from annotation.jobs.execution import run_job
from annotation.labels.export.formats import LABEL_FORMATS
from annotation.labels.export.labels import TIES
from annotation.labels.export.spreadsheet import SPREADSHEET
from annotation.models import Batch, Membership, Study, StudyFile, Task
from annotation.reports.operations.make_bundle import MAKE_BUNDLE
from annotation.vocabulary import BatchState, FileKind, Role, TaskKind, TaskState
from annotation.workers.operations.discard_votes import votes_discard
from tests.commands import run
from tests.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(settings: Settings, tmp_path: Path) -> Batch:
    settings.DATA_DIR = tmp_path / "var"
    return stored_study(8)


def content(response: Any) -> bytes:
    assert response.status_code == 200
    return b"".join(response) if response.streaming else bytes(response.content)


def test_votes_in_no_known_format_or_of_nobody_are_no_file(client: Client, study: Batch) -> None:
    assert client.get(reverse("batch-votes", args=[study.pk]), {"layout": "x"}).status_code == 400
    empty = stored_batch(stored_pool(2, "empty"), "empty")
    address = reverse("batch-votes", args=[empty.pk])
    assert client.get(address, {"layout": "mturk"}).status_code == 404


@pytest.fixture
def whole(study: Batch) -> Study:
    """The study that the batch belongs to."""
    Batch.objects.filter(pk=study.pk).update(state=BatchState.PUBLISHED)
    return study.study


def make(client: Client, study: Study, **sent: str) -> str:
    """Press the button, let the worker do it, and see the page."""
    address = reverse("bundle-make", args=[study.pk])
    shown = client.post(address, sent, follow=True).content.decode()
    run_job()
    return shown


def test_the_bundle_is_made_in_the_background_and_is_that_of_the_command(
    client: Client, whole: Study, tmp_path: Path
) -> None:
    file = reverse("study-bundle", args=[whole.pk])
    assert client.get(file).status_code == 404
    assert "The bundle is being made." in make(client, whole, include_files="on")
    run("study", "bundle", whole.name, "--include-files", "--output", tmp_path / "whole.zip")
    response = client.get(file)
    assert response.streaming
    assert content(response) == (tmp_path / "whole.zip").read_bytes()
    assert 'filename="gender.zip"' in response["Content-Disposition"]
    part = client.get(reverse("bundle-state", args=[whole.pk])).content.decode()
    assert "Download the bundle" in part
    assert "hx-get" not in part
    caller = APIClient()
    caller.force_authenticate(User.objects.create_user("ada", is_staff=True))
    state = caller.get(reverse("api-study-bundle", args=[whole.pk])).json()
    assert (state["is_current"], state["includes_files"]) == (True, True)
    assert content(caller.get(reverse("api-study-bundle-file", args=[whole.pk])))


@pytest.mark.long
def test_a_bundle_is_made_anew_only_when_something_has_changed(
    client: Client, whole: Study, tmp_path: Path
) -> None:
    make(client, whole)
    assert "nothing has changed" in make(client, whole)
    assert Task.objects.count() == 1
    first = content(client.get(reverse("study-bundle", args=[whole.pk])))
    votes_discard(batch=whole.batches.get(), worker_id="A0", reason="a test", actor="test")
    part = client.get(reverse("bundle-state", args=[whole.pk])).content.decode()
    assert "The study has changed since" in part
    make(client, whole)
    again = content(client.get(reverse("study-bundle", args=[whole.pk])))
    assert again != first
    folder = tmp_path / "var" / "bundles" / str(whole.pk)
    assert len(list(folder.iterdir())) == 1


def test_a_bundle_that_cannot_be_made_says_why(
    client: Client, whole: Study, tmp_path: Path
) -> None:
    gone = {"path": "gone/queries.tsv", "size": 1, "digest": "blake3:0"}
    StudyFile.objects.create(study=whole, kind=FileKind.QUERIES, name="queries.tsv", **gone)
    make(client, whole, include_files="on")
    assert Task.objects.get(kind=TaskKind.BUNDLE).state == TaskState.FAILED
    part = client.get(reverse("bundle-state", args=[whole.pk])).content.decode()
    assert "queries.tsv" in part


def test_only_who_manages_a_study_puts_its_files_into_a_bundle(whole: Study) -> None:
    viewer = User.objects.create_user("eve")
    Membership.objects.create(study=whole, user=viewer, role=Role.VIEWER)
    actor = Actor("eve", viewer)
    assert perform(MAKE_BUNDLE, whole, {}, actor)
    with pytest.raises(NotPermittedError):
        perform(MAKE_BUNDLE, whole, {"include_files": True}, actor)


#: Each format with each of its options, but those for spreadsheets and for ties.
OPTIONS = [
    {"layout": one.name, **option}
    for one in LABEL_FORMATS.values()
    if not one.rule
    for option in [
        {},
        *({option.name: "on"} for option in one.options if option not in (SPREADSHEET, TIES)),
    ]
]


@pytest.mark.long
@pytest.mark.parametrize("library", ["pandas", "ir-datasets"])
def test_the_code_of_the_page_reads_the_file_of_the_page(
    client: Client, study: Batch, tmp_path: Path, library: str
) -> None:
    """Also a hostile text with quotes, a comma and a mark that turns the direction of writing.

    All in one process, as loading the libraries takes longest, each in a folder of its own.
    """
    codes = {}
    for number, options in enumerate(OPTIONS):
        asked = {"category": "all", **options}
        page = client.get(reverse("batch-labels", args=[study.pk]), asked).content.decode()
        code = BeautifulSoup(page, "html.parser").find(id=library)
        assert code is not None
        file = content(client.get(reverse("batch-export", args=[study.pk]), asked))
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / f"queries.{LABEL_FORMATS[options['layout']].extension}").write_bytes(file)
        codes[str(folder)] = code.get_text()
        if library == "pandas":
            codes[str(folder)] += 'print("\\n".join(queries["qid"] + " " + queries["query"]))'
    printed = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", _EACH_IN_ITS_FOLDER, json.dumps(codes)],
        cwd=tmp_path,
        env={"IR_DATASETS_HOME": str(tmp_path / "home"), "HOME": str(tmp_path)},
        capture_output=True,
        text=True,
        encoding="utf-8",
        timeout=120,
        check=False,
    )
    assert printed.returncode == 0, printed.stderr
    labelled = study.queries.filter(labels__value__in="nfmo").distinct()
    lines = [f"{query.qid} {query.text}" for query in labelled.order_by("position")]
    said = printed.stdout.splitlines()
    for options in OPTIONS:
        assert said[: len(lines)] == lines, options
        said = said[len(lines) :]
    assert said == []


_EACH_IN_ITS_FOLDER = """
import json, os, sys
for folder, code in json.loads(sys.argv[1]).items():
    os.chdir(folder)
    exec(code, {})
"""
