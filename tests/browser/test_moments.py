"""Moments are shown in the reader's own time zone."""

import re
from datetime import UTC, datetime

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from annotation.core.moments import format_moment
from annotation.models import Assignment, AuditEvent
from tests.browser.conftest import NewContext
from tests.study import stored_batch, stored_pool, with_votes


@pytest.mark.long
def test_a_log_is_in_the_readers_time_zone(
    live_server: LiveServer, transactional_db: None, new_context: NewContext
) -> None:
    batch = stored_batch(stored_pool(2))
    AuditEvent.objects.filter(batch=batch).update(at="2026-01-31T23:30:00Z")
    page = new_context(timezone_id="Asia/Tokyo").new_page()
    page.goto(live_server.url + reverse("batch-log", args=[batch.pk]))
    expect(page.locator("time").first).to_have_text(re.compile(r"1 Feb 2026, 0?8:30"))
    expect(page.locator("footer")).to_contain_text("Times are in UTC+9.")


@pytest.mark.long
def test_the_script_writes_moments_as_the_server_does(
    live_server: LiveServer, transactional_db: None, new_context: NewContext
) -> None:
    batch = stored_batch(stored_pool(2))
    at = datetime(2026, 1, 31, 3, 5, tzinfo=UTC)
    AuditEvent.objects.filter(batch=batch).update(at=at)
    page = new_context(timezone_id="UTC").new_page()
    page.goto(live_server.url + reverse("batch-log", args=[batch.pk]))
    expect(page.locator("footer")).to_contain_text("Times are in UTC.")
    expect(page.locator("time").first).to_have_text(format_moment(at).removesuffix(" UTC"))


@pytest.mark.long
def test_a_picture_is_in_the_readers_time_zone_and_names_it(
    live_server: LiveServer, transactional_db: None, new_context: NewContext
) -> None:
    batch = with_votes(stored_batch(stored_pool(2)))
    Assignment.objects.filter(hit__batch=batch).update(submitted_at="2026-01-31T23:30:00Z")
    # A single bar would be no picture.
    last = Assignment.objects.filter(hit__batch=batch).order_by("-pk")[:1]
    Assignment.objects.filter(pk__in=last).update(submitted_at="2026-01-31T23:50:00Z")
    page = new_context(timezone_id="Asia/Kolkata").new_page()
    page.goto(live_server.url + reverse("batch-detail", args=[batch.pk]))
    chart = page.locator(".chart").first
    expect(chart).to_contain_text("1 Feb, 05:00")
    expect(chart).to_contain_text("handed in (UTC+5:30)")
    bar = chart.get_by_role("link").first
    expect(bar).to_have_accessible_name("From 1 Feb 2026, 05:00: 4 votes")
