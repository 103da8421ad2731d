"""What annotators wrote: in a file of its own, in the bundle, in a release where it is chosen."""

import csv
import io
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.labels.queries.free_texts import free_texts
from annotation.labels.queries.scheme_files import SCHEME_FILES
from annotation.models import Batch
from annotation.reports.bundle.verify import verify_bundle
from annotation.schemes import scheme_from_yaml, scheme_to_yaml
from annotation.vocabulary import BatchState
from metrics.errors import InputError
from tests.annotation.test_import_bundle import import_bundle
from tests.bundles import changed, contents
from tests.commands import run
from tests.schemed import SCHEME, made, reject, submit
from tests.study import stored_pool

pytestmark = pytest.mark.django_db
TERMS = ("--creators", "Lovelace, Ada", "--license", "cc-by-4.0")
FORMULA = '=HYPERLINK("http://evil.example","click")'
OPEN = SCHEME.replace("subset:", "- {name: why, text: 'Why?', kind: text}\nsubset:")


@pytest.fixture
def batch(tmp_path: Path, settings: Settings) -> Batch:
    """A1 answers the open question of one query, comments on another one, and on the task."""
    settings.DATA_DIR = tmp_path / "var"
    scheme = scheme_to_yaml(scheme_from_yaml(OPEN))
    batch = made(stored_pool(4).belongs.study, scheme=scheme)
    texts = [
        *(("q-0-named", "no"), ("q-0-harm", "1"), ("q-0-why", FORMULA)),
        *(("q-1-named", "?"), ("c-1-named", "Who knows,\nmy name is Ada."), ("q-1-harm", "1")),
        *(("s-2", "yes"), ("s-3", "yes"), ("comment", "Naïve & < 5 >")),
    ]
    assert submit(batch, "A1", texts).new == 1
    rejected = [("q-0-named", "no"), ("q-0-harm", "1"), ("q-0-why", "spam")]
    submit(batch, "A2", [*rejected, *((f"s-{place}", "yes") for place in (1, 2, 3))])
    reject(batch, "A2")
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return Batch.objects.get(pk=batch.pk)


def rows(content: str) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(content, newline="")))


def written(batch: Batch) -> list[tuple[str, str, str, str, int]]:
    """All but the names."""
    return [
        (text.qid, text.question, text.option, text.text, text.repeated)
        for text in free_texts(batch=batch)
    ]


def expected(batch: Batch) -> list[tuple[str, str, str, str, int]]:
    first, second = batch.queries.order_by("position").values_list("qid", flat=True)[:2]
    return sorted(
        [
            (first, "why", "", FORMULA, 0),
            (first, "why", "", "spam", 1),
            (second, "named", "?", "Who knows,\nmy name is Ada.", 0),
            ("", "", "", "Naïve & < 5 >", 0),
        ]
    )


def test_every_text_is_exported_by_command_and_api_as_it_was_written(
    batch: Batch, tmp_path: Path, admin_user: Any
) -> None:
    assert sorted(written(batch)) == expected(batch)
    file = tmp_path / "texts.csv"
    run("scheme", "export", batch.name, "--file", "texts", "--output", file)
    exported = rows(file.read_text(encoding="utf-8"))
    assert sorted(row["text"] for row in exported) == sorted(
        text for *_, text, _ in expected(batch)
    )
    assert not {row["worker"] for row in exported} & {"A1", "A2"}
    client = APIClient()
    client.force_authenticate(admin_user)
    response = client.get(f"/api/v1/batches/{batch.pk}/scheme/texts/")
    sent = b"".join(response.streaming_content).decode()  # type: ignore[attr-defined]
    assert rows(sent) == exported


@pytest.mark.parametrize("file", ["texts", "votes"])
def test_no_text_of_a_page_is_a_formula(batch: Batch, file: str, admin_client: Client) -> None:
    assert file in SCHEME_FILES
    response = admin_client.get(reverse("batch-scheme-file", args=[batch.pk, file]))
    sent = rows(b"".join(response.streaming_content).decode())  # type: ignore[attr-defined]
    cells = [cell for row in sent for cell in row.values()]
    assert f"'{FORMULA}" in cells
    assert FORMULA not in cells


@pytest.mark.parametrize("name", ["batch-agreement", "batch-labels"])
def test_pages_with_exports_lead_to_the_texts(
    batch: Batch, name: str, admin_client: Client
) -> None:
    page = admin_client.get(reverse(name, args=[batch.pk])).content.decode()
    assert reverse("batch-scheme-file", args=[batch.pk, "texts"]) in page


def test_a_bundle_has_the_texts_verifies_and_brings_them_back(batch: Batch, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    assert verify_bundle(path).differences == []
    files = contents(path)
    assert len(rows(files["batches/1/texts.csv"].decode())) == 4
    assert "PERSONAL DATA" in files["README.md"].decode().split("## Files of this bundle")[0]
    imported = import_bundle(path, name="elsewhere").made.batches.get()
    about_queries = [row for row in expected(batch) if row[0]]
    assert sorted(written(imported)) == about_queries
    run("study", "bundle", imported.study.name, "--output", tmp_path / "again.zip")
    assert verify_bundle(tmp_path / "again.zip").differences == []


def test_a_bundle_whose_texts_are_about_nothing_is_refused(batch: Batch, tmp_path: Path) -> None:
    path = tmp_path / "b.zip"
    run("study", "bundle", batch.study.name, "--output", path)
    with pytest.raises(InputError):
        verify_bundle(changed(path, "batches/1/texts.csv", ",why,", ",whose,"))


def test_a_release_has_the_texts_only_where_they_are_chosen(batch: Batch, tmp_path: Path) -> None:
    for name, option in (("without", ()), ("with", ("--texts",))):
        folder = str(tmp_path / name)
        call_command("study", "release", batch.study.name, *TERMS, *option, "--output", folder)
    without = b"".join(path.read_bytes() for path in (tmp_path / "without").iterdir())
    assert b"my name is Ada" not in without
    assert not (tmp_path / "without" / "texts.csv").exists()
    texts = rows((tmp_path / "with" / "texts.csv").read_text(encoding="utf-8"))
    assert {row["text"] for row in texts} == {text for *_, text, n in expected(batch) if not n}
    assert {row["annotator"] for row in texts} == {"annotator-1"}
    card = (tmp_path / "with" / "README.md").read_text(encoding="utf-8")
    assert "texts.csv" in card
    call_command("study", "release", batch.study.name, *TERMS, "--output", str(tmp_path / "with"))
    assert not (tmp_path / "with" / "texts.csv").exists()
