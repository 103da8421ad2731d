"""Files of a batch that the pages give away, and the code that they show for reading them."""

import io
import subprocess
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.jobs.execution import run_job
from annotation.models import Batch, Task
from annotation.vocabulary import TaskKind, TaskState
from annotation.workers.operations.quality import votes_discard
from tests.integration.commands import run
from tests.integration.study import stored_batch, stored_pool, stored_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def study(settings: Settings, tmp_path: Path) -> Batch:
    settings.DATA_DIR = tmp_path / "var"
    return stored_study(8)


def content(response: Any) -> bytes:
    assert response.status_code == 200
    return b"".join(response) if response.streaming else bytes(response.content)


@pytest.mark.parametrize("layout", ["plain", "mturk"])
def test_downloaded_votes_have_the_bytes_of_export_votes(
    client: Client, study: Batch, tmp_path: Path, layout: str
) -> None:
    run("export_votes", "study", "--format", layout, "--output", tmp_path / "votes.csv")
    response = client.get(reverse("batch-votes", args=[study.pk]), {"format": layout})
    assert content(response) == (tmp_path / "votes.csv").read_bytes()
    assert response["Content-Disposition"].startswith("attachment;")


def test_votes_in_no_known_format_or_of_nobody_are_no_file(client: Client, study: Batch) -> None:
    assert client.get(reverse("batch-votes", args=[study.pk]), {"format": "x"}).status_code == 404
    empty = stored_batch(stored_pool(2, "empty"), "empty")
    address = reverse("batch-votes", args=[empty.pk])
    assert client.get(address, {"format": "mturk"}).status_code == 404


def make(client: Client, batch: Batch) -> str:
    """Press the button, let the worker do it, and see the page."""
    address = reverse("bundle-make", args=[batch.pk])
    shown = client.post(address, {"then": "batch-labels"}, follow=True).content.decode()
    run_job()
    return shown


def test_the_bundle_is_made_in_the_background_and_is_that_of_the_command(
    client: Client, study: Batch, tmp_path: Path
) -> None:
    file = reverse("batch-bundle", args=[study.pk])
    assert client.get(file).status_code == 404
    assert "The bundle is being made." in make(client, study)
    run("bundle", "study", "--output", tmp_path / "study.zip")
    response = client.get(file)
    assert response.streaming
    assert content(response) == (tmp_path / "study.zip").read_bytes()
    assert 'filename="study.zip"' in response["Content-Disposition"]
    part = client.get(reverse("bundle-state", args=[study.pk])).content.decode()
    assert "Download the bundle" in part
    assert "hx-get" not in part


def test_a_bundle_is_made_anew_only_when_something_has_changed(
    client: Client, study: Batch, tmp_path: Path
) -> None:
    make(client, study)
    assert "nothing has changed" in make(client, study)
    assert Task.objects.count() == 1
    first = content(client.get(reverse("batch-bundle", args=[study.pk])))
    votes_discard(batch=study, worker_id="A0", reason="a test", actor="test")
    part = client.get(reverse("bundle-state", args=[study.pk])).content.decode()
    assert "Something was done to the batch since" in part
    make(client, study)
    again = content(client.get(reverse("batch-bundle", args=[study.pk])))
    assert again != first
    folder = tmp_path / "var" / "bundles" / study.uid.hex
    assert len(list(folder.iterdir())) == 1
    with zipfile.ZipFile(io.BytesIO(again)) as archive:
        assert "votes.csv" in archive.namelist()


def test_a_bundle_that_cannot_be_made_says_why(
    client: Client, settings: Settings, tmp_path: Path
) -> None:
    settings.DATA_DIR = tmp_path / "var"
    batch = stored_batch(stored_pool(2))
    make(client, batch)
    task = Task.objects.get(kind=TaskKind.BUNDLE)
    assert task.state == TaskState.FAILED
    part = client.get(reverse("bundle-state", args=[batch.pk])).content.decode()
    assert "has no labels yet" in part


OPTIONS = [
    {"layout": "csv"},
    {"layout": "csv", "header": "on"},
    {"layout": "tsv"},
    {"layout": "jsonl"},
]


@pytest.mark.parametrize("options", OPTIONS, ids=[" ".join(one.values()) for one in OPTIONS])
@pytest.mark.parametrize("library", ["pandas", "ir-datasets"])
def test_the_code_of_the_page_reads_the_file_of_the_page(
    client: Client, study: Batch, tmp_path: Path, options: dict[str, str], library: str
) -> None:
    """Also a hostile text with quotes, a comma and a mark that turns the direction of writing."""
    asked = {"category": "all", **options}
    page = client.get(reverse("batch-labels", args=[study.pk]), asked).content.decode()
    code = BeautifulSoup(page, "html.parser").find(id=library)
    assert code is not None
    file = content(client.get(reverse("batch-export", args=[study.pk]), asked))
    (tmp_path / f"queries.{options['layout']}").write_bytes(file)
    source = code.get_text()
    if library == "pandas":
        source += 'print("\\n".join(queries["qid"] + " " + queries["query"]))'
    printed = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", source],
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
    assert printed.stdout.splitlines() == [
        f"{query.qid} {query.text}" for query in labelled.order_by("position")
    ]
