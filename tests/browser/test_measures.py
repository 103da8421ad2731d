"""What does not depend on the machine of what Chromium measures of pages."""

from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Browser
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.measures import measure
from tests.measured import measured_study, report_of, storages_in
from tests.site.every_page import signed_in

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: Bytes of script that a page may have, as they run: 51 kB are htmx.
MOST_SCRIPT = 64_000
OF_BATCH = (
    *("batch-detail", "batch-workers", "batch-invite", "batch-agreement"),
    *("batch-queries", "batch-labels"),
)


@pytest.mark.long
@pytest.mark.parametrize("width", [1280, 390])
def test_nothing_moves_and_little_is_loaded(
    live_server: LiveServer, browser: Browser, tmp_path: Path, settings: Settings, width: int
) -> None:
    settings.STORAGES = storages_in(tmp_path)
    study = measured_study(tmp_path)
    batch, report = study.batches.get(), report_of(study)
    cookies = [
        {"name": name, "value": cookie.value, "url": live_server.url}
        for name, cookie in signed_in().cookies.items()
    ]
    pages = [
        reverse("study-detail", args=[study.pk]),
        reverse("study-reports", args=[study.pk]),
        reverse("study-report", args=[study.pk, report.pk]),
        reverse("pool-detail", args=[study.pools.get().pool_id]),
        *(reverse(name, args=[batch.pk]) for name in OF_BATCH),
    ]
    for path in pages:
        found = measure(
            browser, live_server.url + path, width=width, storage_state={"cookies": cookies}
        )
        assert found.shift == 0, (path, found)
        assert found.script <= MOST_SCRIPT, (path, found.script)
        assert found.style_sheets == 1, path
        complaints = (*found.violations, *found.errors, *found.issues, *found.faults)
        assert not complaints, (path, complaints)
