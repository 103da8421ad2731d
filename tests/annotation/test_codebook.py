"""The codebook of a batch: edited and previewed while a draft, versioned, fixed afterwards."""

from pathlib import Path
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.codebooks import CHANGE_CODEBOOK
from annotation.batches.queries.codebooks import page_texts
from annotation.core.operations import Actor, StateError
from annotation.core.perform import perform_here
from annotation.models import Batch
from annotation.reports.bundle.contents import write_bundle
from annotation.reports.queries.bundle import study_bundle
from annotation.task_page import Codebook, standard_codebook
from annotation.vocabulary import BatchState, Category
from tests.bundles import contents
from tests.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> Batch:
    return stored_batch(stored_pool(4))


@pytest.fixture
def client(admin_client: Client) -> Client:
    return admin_client


def typed(client: Client, batch: Batch, **changes: str) -> dict[str, Any]:
    """The fields of the page as they stand, with these changes."""
    form = client.get(reverse("batch-codebook", args=[batch.pk])).context["form"]
    return {field.html_name: field.value() for field in form} | changes


def change(batch: Batch, codebook: Codebook) -> None:
    perform_here(CHANGE_CODEBOOK, batch, {"codebook": codebook.as_json()}, Actor("test"))


@pytest.mark.long
def test_an_edit_is_a_new_version_and_every_hit_shows_it(client: Client, batch: Batch) -> None:
    fields = typed(client, batch, question="Is a gender named?", **{"f-name": "Women"})
    client.post(reverse("batch-codebook-save", args=[batch.pk]), fields | {"save": "1"})
    texts = page_texts(batch)
    assert texts.codebook.question == "Is a gender named?"
    assert texts.codebook.categories["f"].name == "Women"
    assert [one.number for one in batch.codebook_versions.all()] == [1, 2]


def test_a_preview_shows_the_typed_texts_and_stores_nothing(client: Client, batch: Batch) -> None:
    fields = typed(client, batch, question="Is a gender named?", contact="lab@b.example")
    page = client.post(reverse("batch-codebook-save", args=[batch.pk]), fields).content.decode()
    assert "Is a gender named?&lt;/h1&gt;" in page
    assert "lab@b.example" in page
    assert batch.codebook_versions.count() == 1


def test_what_no_page_can_show_stays_in_the_form_with_its_problem(
    client: Client, batch: Batch
) -> None:
    fields = typed(client, batch, question="")
    answer = client.post(reverse("batch-codebook-save", args=[batch.pk]), fields | {"save": "1"})
    assert answer.context["form"].errors["question"]
    assert batch.codebook_versions.count() == 1


def test_the_standard_texts_are_there_in_german(client: Client, batch: Batch) -> None:
    german = client.get(reverse("batch-codebook", args=[batch.pk]), {"standard": "de"})
    form = german.context["form"]
    assert form["question"].value() == standard_codebook("de").question
    assert "lang=&quot;de&quot;" in german.content.decode()


def test_a_published_batch_keeps_its_texts(client: Client, batch: Batch) -> None:
    Batch.objects.filter(pk=batch.pk).update(state="published")
    with pytest.raises(StateError):
        change(batch, standard_codebook("de"))
    page = client.get(reverse("batch-codebook", args=[batch.pk])).content.decode()
    assert 'name="question"' not in page
    assert standard_codebook().question in page


def test_the_bundle_and_its_datasheet_say_what_annotators_read(
    batch: Batch, tmp_path: Path
) -> None:
    change(batch, standard_codebook("de"))
    batch.state = BatchState.PUBLISHED
    batch.save()
    with_votes(batch)
    write_bundle(tmp_path / "b.zip", study_bundle(study=batch.study))
    files = contents(tmp_path / "b.zip")
    assert b'"version": 2' in files["batches/1/codebook.json"]
    assert standard_codebook("de").question.encode() in files["README.md"]
    assert b'<html lang="de"' in files["batches/1/task.html"]


def test_the_categories_keep_their_order_whatever_order_a_database_gives_them_in() -> None:
    stored = standard_codebook().as_json()
    stored["categories"] = dict(sorted(stored["categories"].items()))
    assert list(Codebook.from_json(stored).categories) == Category.values
