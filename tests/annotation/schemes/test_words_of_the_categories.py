"""The built-in scheme of a batch of the categories: its words and its codes are edited."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.schemes import CHANGE_SCHEME
from annotation.batches.queries.schemes import page_texts
from annotation.core.operations import Actor, StateError
from annotation.core.perform import perform_here
from annotation.models import Batch
from annotation.overview.queries.invariants import broken_invariants
from annotation.reports.bundle.contents import write_bundle
from annotation.reports.queries.bundle import study_bundle
from annotation.schemes import built_in_scheme, scheme_to_yaml
from annotation.schemes.released import has_released_layout
from annotation.vocabulary import BatchState
from tests.bundles import contents
from tests.schemed import scheme_fields
from tests.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db

GENDER = built_in_scheme("gender")
GERMAN = built_in_scheme("gender", "de")


@pytest.fixture
def batch() -> Batch:
    return stored_batch(stored_pool(4))


def change(batch: Batch, scheme: object) -> None:
    perform_here(CHANGE_SCHEME, batch, {"scheme": scheme}, Actor("test"))


def as_now(batch: Batch) -> Batch:
    return Batch.objects.get(pk=batch.pk)


def fields_of(client: Client, batch: Batch, **asked: str) -> dict[str, Any]:
    """The fields of the form on the page."""
    page = client.get(reverse("batch-scheme", args=[batch.pk]), asked)
    return {**scheme_fields(page.content.decode())}


def test_an_edit_is_a_new_version_and_every_hit_shows_it(
    admin_client: Client, batch: Batch
) -> None:
    fields = fields_of(admin_client, batch) | {"q0-text": "Is a gender named?", "contact": "lab@b"}
    preview = admin_client.post(reverse("batch-scheme-save", args=[batch.pk]), fields)
    assert "Is a gender named?&lt;/h1&gt;" in preview.content.decode()
    assert "lab@b" in preview.content.decode()
    assert batch.scheme_versions.count() == 1, "a preview stores nothing"
    saved = {**fields, "q0-o1-label": "Women", "save": "1"}
    admin_client.post(reverse("batch-scheme-save", args=[batch.pk]), saved)
    texts = page_texts(as_now(batch))
    assert texts.scheme.questions[0].text == "Is a gender named?"
    assert texts.scheme.questions[0].labels["f"] == "Women"
    assert texts.contact == "lab@b"
    assert [one.number for one in batch.scheme_versions.all()] == [1, 2]


def test_the_built_in_texts_are_there_in_german(admin_client: Client, batch: Batch) -> None:
    fields = fields_of(admin_client, batch, start="gender", language="de")
    assert fields["q0-text"] == [GERMAN.questions[0].text]
    preview = admin_client.post(reverse("batch-scheme-save", args=[batch.pk]), fields)
    assert "lang=&quot;de&quot;" in preview.content.decode()


@pytest.mark.parametrize(
    "scheme",
    [
        "severity",
        scheme_to_yaml(GENDER).replace("code: o", "code: x"),
        scheme_to_yaml(GENDER).replace("kind: single", "kind: single\n  cannot_tell: false"),
        scheme_to_yaml(GENDER).replace("questions:", "content_warning: Words.\nquestions:"),
    ],
)
def test_other_codes_make_another_scheme(batch: Batch, scheme: str) -> None:
    change(batch, scheme)
    assert not has_released_layout(as_now(batch).scheme)
    assert not broken_invariants()


def test_a_scheme_of_these_codes_asks_for_the_categories(batch: Batch) -> None:
    own = replace(GENDER, name="own")
    assert has_released_layout(own)
    change(batch, own.as_json())
    assert as_now(batch).scheme == own


def test_a_published_batch_keeps_its_texts(admin_client: Client, batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state="published")
    with pytest.raises(StateError):
        change(batch, GERMAN.as_json())
    page = admin_client.get(reverse("batch-scheme", args=[batch.pk])).content.decode()
    assert 'name="q0-text"' not in page
    assert GENDER.questions[0].text in page


def test_the_bundle_and_its_datasheet_say_what_annotators_read(
    batch: Batch, tmp_path: Path
) -> None:
    change(batch, GERMAN.as_json())
    batch = as_now(batch)
    batch.state = BatchState.PUBLISHED
    batch.save()
    with_votes(batch)
    write_bundle(tmp_path / "b.zip", study_bundle(study=batch.study))
    files = contents(tmp_path / "b.zip")
    assert b'"language": "de"' in files["batches/1/scheme.json"]
    assert GERMAN.questions[0].text.encode() in files["README.md"]
    assert b'<html lang="de"' in files["batches/1/task.html"]
