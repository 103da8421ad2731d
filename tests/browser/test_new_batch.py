"""The form of a new batch in a real Chromium: the live cost, and the HIT inside its frame."""

import pytest
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import NewContext
from tests.browser.frame import query_at
from tests.study import stored_pool

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.long
def test_the_cost_counts_along_and_the_hit_can_be_tried(
    live_server: LiveServer, new_context: NewContext
) -> None:
    stored_pool(8)
    page = new_context().new_page()
    complaints: list[str] = []
    page.on("console", lambda said: complaints.append(said.text))
    page.goto(live_server.url + reverse("batch-new"))
    page.get_by_label("Reward").fill("0.50")
    expect(page.locator("#cost")).to_contain_text("1.80 USD: 1.50 USD for workers")
    page.get_by_label("Name", exact=True).fill("second")
    page.get_by_role("button", name="Preview the first HIT").click()
    hit = page.frame_locator("iframe[title='The first HIT']")
    hit.get_by_role("button", name="Start").click()
    expect(query_at(hit, "Query 1 of 8")).to_be_visible()
    page.keyboard.press("2")
    expect(query_at(hit, "Query 2 of 8")).to_be_visible()
    assert complaints == []


@pytest.mark.long
def test_the_form_needs_no_script(live_server: LiveServer, new_context: NewContext) -> None:
    stored_pool(8)
    page = new_context(java_script_enabled=False).new_page()
    page.goto(live_server.url + reverse("batch-new"))
    page.get_by_label("Name", exact=True).fill("second")
    page.get_by_label("Budget").fill("0.10")
    page.get_by_role("button", name="Preview the first HIT").click()
    refused = page.get_by_text("more than its budget of 0.10 USD")
    expect(refused.first).to_be_visible()
    page.get_by_label("Budget").fill("")
    page.get_by_role("button", name="Preview the first HIT").click()
    hit = page.frame_locator("iframe[title='The first HIT']")
    expect(hit.locator("h1")).to_have_count(1)
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()
