"""What a request names and nobody reads is refused: in query strings, forms and bodies."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import get_resolver, reverse
from drf_spectacular.generators import SchemaGenerator
from rest_framework.test import APIClient

from annotation.models import Batch, Task
from tests.api.test_permissions import addresses
from tests.api.world import World

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])


@pytest.fixture
def api(world: World) -> APIClient:
    return world.client()


@pytest.fixture
def page(world: World) -> Client:
    client = Client()
    client.force_login(world.people["owner"])
    return client


def errors_of(response: Any) -> list[dict[str, str]]:
    assert response.status_code == 400, response.content
    assert response.json()["type"].endswith(":invalid")
    errors: list[dict[str, str]] = response.json()["errors"]
    return errors


def test_a_payment_that_was_only_to_be_tried_is_refused(api: APIClient, world: World) -> None:
    sent = {"amount": "0.10", "reason": "Thank you."}
    address = f"/api/v1/batches/{world.batch.pk}/bonus/?dry_run=true"
    (error,) = errors_of(api.post(address, sent, format="json"))
    assert (error["parameter"], error["code"]) == ("dry_run", "unknown")
    assert not Task.objects.filter(kind="bonus").exists()


@pytest.mark.parametrize(
    ("query", "code", "says"),
    [
        ("categori=f", "unknown", "'category'"),
        ("category=zzz", "invalid_choice", "zzz"),
        ("category=f&category=m", "repeated", "once"),
    ],
)
def test_an_export_is_the_one_that_was_meant(
    api: APIClient, world: World, query: str, code: str, says: str
) -> None:
    (error,) = errors_of(api.get(f"/api/v1/batches/{world.batch.pk}/export/?{query}"))
    assert (error["parameter"], error["code"]) == (query.partition("=")[0], code)
    assert says in error["detail"]


def test_of_two_equal_members_none_is_taken(api: APIClient, world: World) -> None:
    address = f"/api/v1/batches/{world.batch.pk}/bonus/"
    body = '{"amount": "0.10", "amount": "90.00", "reason": "Thank you."}'
    (error,) = errors_of(api.post(address, body, content_type="application/json"))
    assert (error["pointer"], error["code"]) == ("#/amount", "repeated")
    assert not Task.objects.filter(kind="bonus").exists()


@pytest.mark.long
def test_the_document_lists_every_name_that_a_query_string_may_have() -> None:
    document = SchemaGenerator().get_schema(request=None, public=True)
    for path, view in addresses(get_resolver("annotation.api_urls").url_patterns):
        documented = document["paths"].get(f"/api/v1/{path}", {})
        for method, operation in documented.items():
            if hasattr(view.cls, "query_names"):
                parameters = operation.get("parameters", [])
                names = {one["name"] for one in parameters if one["in"] == "query"}
                assert view.cls().query_names(method.upper()) == names, path


@pytest.mark.parametrize(
    ("name", "query"),
    [
        ("batch-export", "category=%27%3Bdrop"),
        ("batch-export", "categori=f"),
        ("batch-export", "category=f&category=m"),
        ("batch-labels", "category=zzz"),
        ("batch-votes", "layout=zzz"),
        ("batch-queries", "labels=f"),
        ("batch-queries", "label=nonsense"),
        ("batch-queries", "sort=nonsense"),
        ("batch-queries", "page=x"),
        ("batch-detail", "dry_run=true"),
        ("batch-log", "page=1&page=2"),
    ],
)
def test_a_page_refuses_an_address_that_it_does_not_understand(
    page: Client, world: World, name: str, query: str
) -> None:
    address = reverse(name, args=[world.batch.pk])
    assert page.get(address).status_code == 200
    refused = page.get(f"{address}?{query}")
    assert refused.status_code == 400
    assert query.partition("=")[0] in refused.content.decode()


@pytest.mark.parametrize("kind", ["application/x-www-form-urlencoded", "multipart/form-data"])
def test_a_button_refuses_a_query_string_and_a_field_that_is_sent_twice(
    page: Client, world: World, kind: str
) -> None:
    address = reverse("batch-stop", args=[world.batch.pk])
    assert page.post(f"{address}?dry_run=true").status_code == 400
    budget = reverse("batch-act", args=[world.batch.pk, "budget"])
    fields = [("budget", "1.00"), ("budget", "9000.00")]
    body = "&".join(f"{name}={value}" for name, value in fields)
    if kind.startswith("multipart"):
        kind = f"{kind}; boundary=b"
        head = 'Content-Disposition: form-data; name="{}"\r\n\r\n{}\r\n'
        parts = [f"--b\r\n{head.format(name, value)}" for name, value in fields]
        body = "".join([*parts, "--b--\r\n"])
    assert page.generic("POST", budget, body, kind).status_code == 400
    assert Batch.objects.get(pk=world.batch.pk).budget != Decimal(9000)
