"""No page, part of a page or call of the API asks the database more often when there is more."""

from pathlib import Path

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import get_resolver
from pytest_django import Settings

from tests.large_study import RUNS, large_study, pages_of
from tests.measured import storages_in
from tests.schemed import answer, made
from tests.site.every_page import NO_PAGES, names_in, of_scheme
from tests.study import stored_pool

pytestmark = pytest.mark.django_db(databases=["default", "crowd"])

TWO = RUNS[:2]
#: Pages of one person or of none: nothing of a study is on them, or it is asked for elsewhere.
NOT_OF_A_STUDY = {
    *("sign-in", "account", "people", "design", "password-change", "study-new", "invite"),
    *("forgotten", "import", "study-import", "bundle-import"),
    *("second-factor", "second-factor-on", "second-factor-settings", "security-keys"),
    # Of one link; what it shows comes from the crowd service.
    "batch-poster",
}


def statements(client: Client, pages: dict[str, str]) -> dict[str, int]:
    """Of each page by its name, the second time that it is asked for."""
    found = {}
    for name, path in pages.items():
        for _ in range(2):
            with CaptureQueriesContext(connections["default"]) as captured:
                response = client.get(path)
                assert response.status_code == 200, (path, response.status_code)
                _ = b"".join(response) if response.streaming else response.content
        found[name] = len(captured)
    return found


@pytest.mark.long
def test_every_page_costs_as_many_statements_for_many_queries_as_for_few(
    admin_client: Client, tmp_path: Path, settings: Settings
) -> None:
    settings.STORAGES = storages_in(tmp_path)
    few = statements(admin_client, pages_of(large_study("few", 30, runs=TWO)))
    many = statements(admin_client, pages_of(large_study("many", 120, runs=TWO)))
    assert {name: (few[name], many[name]) for name in few if many[name] > few[name]} == {}
    pages = set(names_in(get_resolver("annotation.urls").url_patterns)) - NO_PAGES
    assert pages - NOT_OF_A_STUDY <= set(few)


@pytest.mark.long
def test_a_batch_with_a_scheme_costs_as_many_statements_for_many_queries_as_for_few(
    admin_client: Client,
) -> None:
    few, many = (_of_scheme(admin_client, n) for n in (4, 20))
    assert few == many


def _of_scheme(client: Client, n: int) -> dict[str, int]:
    batch = made(stored_pool(n, name=f"pool {n}").belongs.study, name=f"faith {n}")
    for worker in ("A1", "A2", "A3"):
        answer(batch, worker, ["no", "yes"] * (n // 2))
    pages = of_scheme(batch)
    return statements(client, {path.replace(f"/{batch.pk}/", "/n/"): path for path in pages})
