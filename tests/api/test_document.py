"""The OpenAPI document and its pages."""

from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.test import Client

from annotation.api.serializers import RowSerializer

METHODS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture
def operations(client: Client, db: None) -> list[tuple[str, dict[str, Any]]]:
    document = client.get("/api/v1/schema/").json()
    assert document["openapi"].startswith("3.1")
    return [
        (method, operation)
        for path in document["paths"].values()
        for method, operation in path.items()
        if method in METHODS
    ]


def test_the_document_is_made_without_a_warning(tmp_path: Path) -> None:
    """Such as two shapes of one name, of which a client would know one."""
    path = tmp_path / "api.json"
    options = {"format": "openapi-json", "file": str(path), "fail_on_warn": True}
    call_command("spectacular", **options)
    assert path.stat().st_size


def test_two_answers_made_of_one_row_have_two_names(client: Client, db: None) -> None:
    """A serializer of a dataclass is named by it: a second one would be described as the first."""
    client.get("/api/v1/schema/")  # The views, and with them their serializers, are imported.
    names = {
        serializer.Meta: getattr(serializer.Meta, "ref_name", serializer.Meta.dataclass.__name__)
        for serializer in _below(RowSerializer)
        if hasattr(serializer, "Meta")
    }
    assert len(names) > 15
    assert sorted(set(names.values())) == sorted(names.values())


def _below(serializer: type[Any]) -> list[type[Any]]:
    return [one for below in serializer.__subclasses__() for one in (below, *_below(below))]


def test_every_operation_says_what_it_does_and_how_it_fails(
    operations: list[tuple[str, dict[str, Any]]],
) -> None:
    for method, operation in operations:
        assert operation["description"], operation["operationId"]
        assert {"401", "403", "429"} <= operation["responses"].keys()
        if method != "get":
            assert "422" in operation["responses"]
    names = [operation["operationId"] for _, operation in operations]
    assert len(set(names)) == len(names)


def test_every_json_body_has_an_example(operations: list[tuple[str, dict[str, Any]]]) -> None:
    without = [
        operation["operationId"]
        for _, operation in operations
        if "examples"
        not in operation.get("requestBody", {})
        .get("content", {})
        .get("application/json", {"examples": None})
    ]
    assert without == []


def test_the_pages_of_the_document_need_nothing_from_elsewhere(client: Client, db: None) -> None:
    page = client.get("/api/v1/docs/")
    text = page.content.decode()
    assert "http://" not in text
    assert "https://" not in text
    assert "<style" not in text
    assert "'unsafe-inline'" not in page.headers["Content-Security-Policy"]
    script = client.get("/api/v1/docs/?script=")
    assert script.headers["Content-Type"].startswith("application/javascript")
