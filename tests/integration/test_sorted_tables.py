"""Tables are ordered and filtered by their address, which a person can keep and send."""

import pytest
from django.test import Client
from django.urls import reverse

from annotation.models import Batch
from annotation.web.filters import stored_form
from tests.integration.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> Batch:
    return with_votes(stored_batch(stored_pool(4)))


def test_queries_keep_their_filter_when_they_are_ordered(
    admin_client: Client, batch: Batch
) -> None:
    address = reverse("batch-queries", args=[batch.pk])
    shown = admin_client.get(address, {"sort": "-id", "text": "q", "page": "1"})
    ids = [row.qid for row in shown.context["page"]]
    assert ids == sorted(ids, reverse=True)
    heads = {head.title: head for head in shown.context["heads"]}
    assert heads["Id"].direction == "descending"
    assert heads["Id"].question == "sort=id&text=q"
    assert heads["Label"].direction == ""
    assert 'name="sort" value="-id"' in shown.content.decode()


def test_an_order_that_nobody_knows_changes_nothing(admin_client: Client, batch: Batch) -> None:
    address = reverse("batch-queries", args=[batch.pk])
    usual = [row.qid for row in admin_client.get(address).context["page"]]
    asked = admin_client.get(address, {"sort": '"><script>'})
    assert [row.qid for row in asked.context["page"]] == usual
    assert "<script>&" not in asked.content.decode()


def test_batches_are_ordered_by_a_number_and_found_by_a_name(
    admin_client: Client, batch: Batch
) -> None:
    Batch.objects.create(name="another", environment="imported", state="imported")
    address = reverse("batch-list")
    names = [row.name for row in admin_client.get(address, {"sort": "-queries"}).context["batches"]]
    assert names == [batch.name, "another"]
    found = admin_client.get(address, {"name": "ANOTH"}).context["batches"]
    assert [row.name for row in found] == ["another"]
    assert admin_client.get(address, {"name": "none such"}).status_code == 200


def test_a_passage_that_was_encoded_twice_keeps_its_stored_form_at_hand() -> None:
    assert stored_form([("she said ", ""), ("hers", "f")]) == ""
    twice = "na\u00c3\u00afve "
    assert stored_form([(twice, ""), ("she", "f")]) == f"{twice}she"
