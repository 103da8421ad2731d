"""Somebody writes while pages are read: whatever comes and goes meanwhile, no page fails.

A writer on the page's own connection: whenever a page has read a table for the first time, studies
and batches that it may have seen are gone, and others have come.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from django.db import connection
from pytest_django import Settings

from annotation.models import Batch, Study
from tests.measured import storages_in
from tests.site.every_page import empty_pages, full_pages, signed_in

SERVER_ERROR, BESIDE = 500, "beside "
pytestmark = [pytest.mark.django_db(databases=["default", "crowd"]), pytest.mark.long]
_READING = re.compile(r'SELECT .*? FROM "(?P<table>(annotation|pooling)_\w+)"', re.DOTALL)


class Writer:
    """Adds a batch like each of those that there are, and a study, in place of the last ones."""

    def __init__(self) -> None:
        self._batches = [copied(batch) for batch in Batch.objects.all()]
        self._is_writing = False

    @contextmanager
    def beside(self) -> Iterator[None]:
        """Writes after the first reading of each table from here on; nothing of it is left."""
        tables: set[str] = set()

        def after(execute: Callable[..., Any], sql: str, *rest: Any) -> Any:
            rows = execute(sql, *rest)
            read = None if self._is_writing else _READING.match(sql)
            if read and read["table"] not in tables:
                tables.add(read["table"])
                self._is_writing = True
                self._replace()
                self._is_writing = False
            return rows

        self._add()
        with connection.execute_wrapper(after):
            yield
        self._remove()

    def _replace(self) -> None:
        self._remove()
        self._add()

    def _add(self) -> None:
        Batch.objects.bulk_create(Batch(**row) for row in self._batches)
        Study.objects.create(name=f"{BESIDE}study")

    def _remove(self) -> None:
        for model in (Batch, Study):
            model.objects.filter(name__startswith=BESIDE)._raw_delete("default")


def copied(batch: Batch) -> dict[str, Any]:
    """What a batch like this one is made of."""
    stored = (field for field in Batch._meta.concrete_fields if not field.generated)
    row = {field.attname: getattr(batch, field.attname) for field in stored}
    del row["id"], row["uid"]
    return row | {"name": f"{BESIDE}{batch.name}"}


def test_no_page_fails_while_studies_and_batches_come_and_go(
    settings: Settings, tmp_path: Path
) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")
    client = signed_in()
    client.raise_request_exception = False
    paths = [*empty_pages(), *full_pages(client, tmp_path)]
    writer, failed = Writer(), []
    for path in paths:
        with writer.beside():
            if client.get(path).status_code >= SERVER_ERROR:
                failed.append(path)
    assert failed == []
