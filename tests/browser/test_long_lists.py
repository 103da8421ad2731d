"""Long lists: searched while typing, walked by keys, with the columns that somebody chose."""

import re

import pytest
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import AuditEvent, Batch, DiscardedVotes, Label
from annotation.vocabulary import AuditAction, LabelMethod
from tests.browser.conftest import NewContext
from tests.site.every_page import signed_in
from tests.study import addresses, stored_study

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def batch() -> Batch:
    return stored_study(8)


@pytest.fixture
def page(live_server: LiveServer, new_context: NewContext) -> Page:
    cookies = [
        {"name": name, "value": cookie.value, "url": live_server.url}
        for name, cookie in signed_in().cookies.items()
    ]
    return new_context(storage_state={"cookies": cookies}).new_page()


@pytest.mark.long
def test_queries_are_searched_while_typing_and_walked_by_keys(
    page: Page, live_server: LiveServer, batch: Batch
) -> None:
    page.goto(live_server.url + addresses(batch)["batch-queries"])
    rows = page.get_by_role("region", name="Queries").get_by_role("rowheader")
    expect(rows).to_have_count(8)
    page.get_by_role("searchbox", name="Text or id").press_sequentially("q3")
    expect(rows).to_have_count(1)
    expect(page).to_have_url(re.compile(r"[?&]text=q3"))
    page.get_by_role("link", name="Remove the filter Text or id").click()
    expect(rows).to_have_count(8)
    for key, place in (("j", 0), ("j", 1), ("j", 2), ("k", 1)):
        page.keyboard.press(key)
        expect(rows.nth(place).get_by_role("link")).to_be_focused()
    wanted = rows.nth(1).get_by_role("link").get_attribute("href")
    page.keyboard.press("Enter")
    expect(page).to_have_url(live_server.url + (wanted or ""))


@pytest.mark.long
def test_columns_that_were_taken_away_stay_away(
    page: Page, live_server: LiveServer, batch: Batch
) -> None:
    page.goto(live_server.url + addresses(batch)["batch-queries"])
    head = page.get_by_role("region", name="Queries").get_by_role("columnheader", name="Votes")
    expect(head).to_be_visible()
    page.get_by_role("button", name="Columns").click()
    page.get_by_role("checkbox", name="Votes").uncheck()
    expect(head).to_be_hidden()
    page.reload()
    expect(page.get_by_role("columnheader", name="Label")).to_be_visible()
    expect(head).to_be_hidden()
    assert not page.context.cookies() or "columns" not in str(page.context.cookies())


@pytest.mark.long
def test_one_decision_is_made_about_several_queries_by_keys(
    page: Page, live_server: LiveServer, batch: Batch
) -> None:
    page.goto(live_server.url + addresses(batch)["batch-queries"])
    for key in "jxjx":
        page.keyboard.press(key)
    expect(page.get_by_role("checkbox", name="Choose q", checked=True)).to_have_count(2)
    form = page.get_by_role("form", name="Decide about the chosen queries")
    form.get_by_role("combobox").select_option(label="Male")
    form.get_by_role("textbox", name="Reason").fill("men are meant")
    form.get_by_role("button", name="Apply to the chosen").click()
    expect(page.get_by_role("status").filter(has_text="done for 2 queries")).to_be_visible()
    decided = Label.objects.filter(query__batch=batch, method=LabelMethod.ADJUDICATED)
    assert set(decided.values_list("value", "reason")) == {("m", "men are meant")}
    assert decided.count() == 2


@pytest.mark.long
def test_a_decision_leads_back_to_the_list_as_it_was_filtered(
    page: Page, live_server: LiveServer, batch: Batch
) -> None:
    page.goto(f"{live_server.url}{addresses(batch)['batch-queries']}?text=q3&sort=-id")
    page.get_by_role("checkbox", name="Choose q3").check()
    form = page.get_by_role("form", name="Decide about the chosen queries")
    form.get_by_role("combobox").select_option(label="Male")
    form.get_by_role("textbox", name="Reason").fill("a man is meant")
    form.get_by_role("button", name="Apply to the chosen").click()
    expect(page.get_by_role("status").filter(has_text="done for 1 query")).to_be_visible()
    expect(page).to_have_url(re.compile(r"/queries/\?text=q3&sort=-id$"))
    expect(page.get_by_role("link", name="Remove the filter Text or id")).to_be_visible()


@pytest.mark.long
def test_on_a_phone_filters_are_folded_and_those_that_hold_stay_in_sight(
    page: Page, live_server: LiveServer, batch: Batch
) -> None:
    page.set_viewport_size({"width": 390, "height": 844})
    page.goto(f"{live_server.url}{addresses(batch)['batch-queries']}?label=tie")
    filters = page.get_by_role("form", name="Filter the queries")
    expect(filters.get_by_role("searchbox", name="Text or id")).to_be_visible()
    expect(filters.get_by_role("combobox", name="Label")).to_be_hidden()
    expect(page.get_by_role("link", name="Remove the filter Label")).to_be_visible()
    filters.get_by_text("More filters").click()
    expect(filters.get_by_role("combobox", name="Label")).to_be_visible()
    page.set_viewport_size({"width": 1280, "height": 844})
    expect(filters.get_by_role("combobox", name="Votes fell")).to_be_visible()


@pytest.mark.long
def test_one_decision_is_made_about_several_workers(
    page: Page, live_server: LiveServer, batch: Batch
) -> None:
    page.goto(live_server.url + addresses(batch)["batch-workers"])
    form = page.get_by_role("form", name="Decide about the chosen workers")
    page.get_by_role("checkbox", name="Choose all").check()
    form.get_by_role("combobox").select_option(label="Discard votes")
    form.get_by_role("textbox", name="Reason").fill("all the same")
    form.get_by_role("button", name="Apply to the chosen").click()
    expect(page.get_by_role("status").filter(has_text="done for 3 workers")).to_be_visible()
    assert DiscardedVotes.objects.active().filter(batch=batch).count() == 3
    done = AuditEvent.objects.filter(action=AuditAction.VOTES_DISCARDED)
    assert {event.detail["reason"] for event in done} == {"all the same"}
    assert done.count() == 3
