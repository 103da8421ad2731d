"""Every choice that is declared works through page, API and command line, with one result."""

import html
import re
from collections.abc import Iterator
from decimal import Decimal
from itertools import combinations
from pathlib import Path
from typing import Any
from urllib.parse import parse_qs

import pytest
from django.contrib.auth.models import User
from django.forms import model_to_dict
from django.test import Client
from django.urls import reverse
from drf_spectacular.generators import SchemaGenerator
from knox.models import AuthToken
from rest_framework.test import APIClient

from annotation.batches.operations.terms import CreateBatchParameters
from annotation.core.parameters import fields_of
from annotation.labels.export.formats import LABEL_FORMATS, VOTE_FORMATS
from annotation.labels.export.labels import LabelFormat
from annotation.models import Batch, Study
from annotation.schemes import built_in_scheme
from annotation.vocabulary import Category
from tests.api.world import make_world
from tests.commands import run
from tests.study import addresses, stored_study

pytestmark = pytest.mark.django_db


@pytest.fixture
def batch() -> Batch:
    return stored_study(4)


@pytest.fixture
def api() -> APIClient:
    user = User.objects.create_user("staff", is_staff=True)
    _, token = AuthToken.objects.create(user)
    return APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")


def _combinations(layout: LabelFormat) -> Iterator[tuple[str, ...]]:
    names = [option.name for option in layout.options]
    for size in range(len(names) + 1):
        yield from combinations(names, size)


#: Qrels are of pairs of query and passage: of a batch of queries there are none.
_OF_PAIRS = {one.name for one in LABEL_FORMATS.values() if one.rule}
_EXPORTS = [
    (one, options)
    for one in LABEL_FORMATS.values()
    if not one.rule
    for options in _combinations(one)
]


@pytest.mark.long
@pytest.mark.parametrize("export", _EXPORTS, ids=lambda it: "-".join([it[0].name, *it[1]]))
def test_labels_are_exported_in_every_format_through_every_interface(
    client: Client,
    api: APIClient,
    batch: Batch,
    tmp_path: Path,
    export: tuple[LabelFormat, tuple[str, ...]],
) -> None:
    layout, options = export
    for category in (*Category.values, "all"):
        sent = {"category": category, "layout": layout.name, **dict.fromkeys(options, "on")}
        run(
            *("label", "export", "study", "--category", category, "--format", layout.name),
            *(f"--{option}" for option in options),
            *("--output", tmp_path / "file"),
        )
        for file in (
            client.get(reverse("batch-export", args=[batch.pk]), sent),
            api.get(reverse("api-batch-export", args=[batch.pk]), sent),
        ):
            assert _content(file) == (tmp_path / "file").read_bytes()
            assert file["Content-Type"].partition(";")[0] == layout.content_type
            name = f"study-{category}.{layout.extension}"
            assert f'filename="{name}"' in file["Content-Disposition"]
        page = client.get(reverse("batch-labels", args=[batch.pk]), sent)
        first = page.context["preview"].first
        assert (tmp_path / "file").read_text(encoding="utf-8").startswith(first)


@pytest.mark.parametrize("layout", VOTE_FORMATS)
def test_votes_are_exported_in_every_format_through_every_interface(
    client: Client, api: APIClient, batch: Batch, tmp_path: Path, layout: str
) -> None:
    run("label", "export-votes", "study", "--format", layout, "--output", tmp_path / "file")
    names = set()
    for caller, address in ((client, "batch-votes"), (api, "api-batch-votes")):
        file = caller.get(reverse(address, args=[batch.pk]), {"layout": layout})
        assert _content(file) == (tmp_path / "file").read_bytes()
        names.add(file["Content-Disposition"])
    assert len(names) == 1


@pytest.mark.parametrize(
    "sent",
    [
        {"layout": "no such format"},
        {"category": "no such category"},
        {"layout": "tsv", "header": "on"},
        {"layuot": "tsv"},
    ],
    ids=str,
)
def test_a_choice_that_does_not_exist_is_refused_and_not_replaced(
    client: Client, api: APIClient, batch: Batch, sent: dict[str, str]
) -> None:
    name, _ = list(sent.items())[-1]
    file = client.get(reverse("batch-export", args=[batch.pk]), sent)
    assert file.status_code == 400
    reply = api.get(reverse("api-batch-export", args=[batch.pk]), sent)
    assert reply.status_code == 400
    assert [error["parameter"] for error in reply.json()["errors"]] == [name]
    page = client.get(reverse("batch-labels", args=[batch.pk]), sent)
    assert page.status_code == 400
    assert name in page.context["errors"]


def test_a_term_that_is_left_out_has_one_default_at_every_interface(
    client: Client, api: APIClient, tmp_path: Path
) -> None:
    """The page sends what its form shows at first; the others send nothing."""
    shown = client.get(reverse("batch-new")).context["form"]
    sent = {
        field.html_name: field.value()
        for field in shown
        if field.value() not in (None, False, [], "")
    }
    query = tmp_path / "q.tsv"
    query.write_text("1\twho was the queen\n", encoding="utf-8")
    study = Study.objects.create(name="terms")
    client.post(
        reverse("batch-store"),
        {**sent, "name": "page", "queries": query.read_text(), "study": study.pk},
    )
    queries = [{"qid": "1", "text": "who was the queen"}]
    body = {"name": "api", "queries": queries, "study": study.pk}
    reply = api.post(reverse("api-batches"), body, format="json")
    assert reply.status_code == 201, reply.json()
    run("batch", "create", "--name", "command", "--queries", query, "--study", "terms")

    page, call, command = (
        model_to_dict(Batch.objects.get(name=name), exclude=("id", "name"))
        for name in ("page", "api", "command")
    )
    assert page == call == command
    gender = built_in_scheme("gender")
    for name in fields_of(CreateBatchParameters):
        default = getattr(CreateBatchParameters, name, None)
        if name in page and isinstance(default, int | str | Decimal):
            # What is left empty is said by the scheme.
            assert page[name] == (default or getattr(gender, f"hit_{name}", default))


@pytest.mark.long
def test_every_filter_of_the_api_takes_every_value_and_shows_those_rows_only() -> None:
    world = make_world()
    api = world.client("staff")
    n_values = 0
    for path, methods in SchemaGenerator().get_schema(public=True)["paths"].items():
        for parameter in methods.get("get", {}).get("parameters", []):
            for value in parameter["schema"].get("enum", []):
                address = path.format(**world.numbers())
                reply = api.get(address, {parameter["name"]: value})
                if value in _OF_PAIRS:
                    assert reply.status_code == 422
                    continue
                assert reply.status_code == 200, (address, parameter["name"], value)
                if not reply.streaming and "results" in (shown := reply.json()):
                    rows = [row for row in shown["results"] if parameter["name"] in row]
                    assert {row[parameter["name"]] for row in rows} <= {value}
                n_values += 1
    assert n_values


@pytest.mark.long
def test_every_order_of_every_list_is_shown_in_both_directions(
    client: Client, batch: Batch
) -> None:
    n_orders = 0
    for address in addresses(batch).values():
        page = client.get(address).content.decode()
        for link in set(re.findall(r'href="([^"]*[?&;]sort=[^"]*)"', page)):
            order = parse_qs(html.unescape(link).partition("?")[2])["sort"][0].removeprefix("-")
            rising, falling = (client.get(address, {"sort": sort}) for sort in (order, f"-{order}"))
            assert rising.status_code == falling.status_code == 200
            for ordered, direction in ((rising, "ascending"), (falling, "descending")):
                assert f'aria-sort="{direction}"' in ordered.content.decode(), (address, order)
            n_orders += 1
    assert n_orders


def _content(file: Any) -> bytes:
    assert file.status_code == 200
    return b"".join(file)
