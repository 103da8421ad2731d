"""Moments are shown in the reader's own time zone."""

import re

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import AuditEvent
from tests.browser.conftest import NewContext
from tests.study import stored_batch, stored_pool


@pytest.mark.long
def test_a_log_is_in_the_readers_time_zone(
    live_server: LiveServer, transactional_db: None, new_context: NewContext
) -> None:
    batch = stored_batch(stored_pool(2))
    AuditEvent.objects.filter(batch=batch).update(at="2026-01-31T23:30:00Z")
    page = new_context(timezone_id="Asia/Tokyo").new_page()
    page.goto(live_server.url + reverse("batch-log", args=[batch.pk]))
    expect(page.locator("time").first).to_have_text(re.compile(r"1 Feb 2026, 0?8:30"))
