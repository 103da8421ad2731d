"""Queries may hold any character: pages show what cannot be seen, exports keep the bytes."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.labels.operations.decide import LABEL
from annotation.task_page import render
from tests.study import stored_batch, stored_pool, with_votes

HOSTILE = "nurse\x07 \u202egnp.exe\x85\u200d"


@pytest.mark.django_db(databases=["default", "crowd"])
def test_a_query_that_turns_text_around_is_shown_by_codes_and_exported_as_it_is() -> None:
    batch = with_votes(stored_batch(stored_pool(8, "p"), "b"))
    query = batch.queries.get(position=1)
    batch.queries.filter(pk=query.pk).update(text=HOSTILE)
    perform_here(LABEL, batch, {}, Actor("test"))
    client = Client()
    for address in (
        reverse("batch-queries", args=[batch.pk]),
        reverse("batch-query", args=[batch.pk, query.pk]),
    ):
        page = client.get(address).content.decode()
        assert "[U+202E]gnp.exe" in page
        assert "\u202e" not in page
    exported = client.get(reverse("batch-export", args=[batch.pk]), {"category": "all"})
    assert HOSTILE in b"".join(exported.streaming_content).decode()  # type: ignore[attr-defined]


def test_annotators_read_a_query_in_its_order() -> None:
    page = render([("q1", HOSTILE)])
    assert "nurse gnp.exe" in page
    assert "\u202e" not in page
