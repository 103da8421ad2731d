"""A reviewer's way: from an invitation to a study in which nothing is left to decide."""

import re

import pytest
from playwright.sync_api import expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.models import AuditEvent, Label
from annotation.vocabulary import TIE, AuditAction, Role
from tests.browser.conftest import NewContext
from tests.browser.test_the_whole_way import COUNT_CLICKS
from tests.performing import invite
from tests.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

#: Join, open the step of the labels, adjudicate, look at the agreement.
MOST_CLICKS = 4


@pytest.mark.long
def test_a_reviewer_decides_every_tie_with_few_clicks_and_no_command(
    live_server: LiveServer, new_context: NewContext, settings: Settings
) -> None:
    settings.OPEN = False
    batch = with_votes(stored_batch(stored_pool(8)))
    ties = Label.objects.filter(query__batch=batch, value=TIE).count()
    assert ties == 2
    clicks: list[str] = []
    desk = new_context(base_url=live_server.url)
    desk.expose_function("countClick", lambda: clicks.append("click"))
    desk.add_init_script(COUNT_CLICKS)
    page = desk.new_page()
    page.goto(f"/invites/{invite(batch.study, Role.ADJUDICATOR)}/")
    page.get_by_label("Name").fill("rita")
    for field in page.locator("input[type=password]").all():
        field.fill("a long one for a reviewer")
    page.get_by_role("button", name="Make the account and join").click()
    labels = page.locator("#labels")
    labels.locator("summary").click()
    labels.get_by_role("link", name=re.compile("djudicat")).first.click()
    for left in range(ties, 0, -1):
        page.get_by_role("textbox", name="Why").wait_for()
        page.keyboard.press("1")
        page.keyboard.type(f"nobody is named, {left}")
        page.keyboard.press("Enter")
        expect(page.get_by_text("Decided: non-gendered.")).to_be_visible()
    expect(page.get_by_text("Nothing is left to decide")).to_be_visible()
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator(".headline")).to_be_visible()
    assert len(clicks) <= MOST_CLICKS
    decided = AuditEvent.objects.filter(action=AuditAction.QUERY_ADJUDICATED)
    assert list(decided.values_list("batch", "actor")) == [(batch.pk, "rita (web page)")] * ties
