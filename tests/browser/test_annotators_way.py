"""The annotators' way on a phone, light and dark: in by a link or a panel, work, code, and out."""

import os
from collections.abc import Callable
from datetime import UTC, datetime, timedelta

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.crowd.questions import html_question
from annotation.task_page import render
from mturk_local.lifecycle.channels import channel_token
from mturk_local.models import Assignment, Channel, HITType, Panel, Requester, Worker
from mturk_local.operations import Call, operations
from tests.browser.conftest import NewContext
from tests.browser.test_annotating import answer, task_of
from tests.browser.test_the_whole_way import COUNT_CLICKS

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
    pytest.mark.long,
]
PHONE = {"width": 390, "height": 844}
#: From the link of whoever asks to the confirmation: start, accept; answers need no click.
MOST_CLICKS = 2
#: From the page without a place to the panel's code: look again, the task, accept.
MOST_CLICKS_AFTER_WAITING = 3
Visitor = Callable[[list[str]], Page]


@pytest.fixture
def visitor(live_server: LiveServer, new_context: NewContext) -> Visitor:
    """Somebody with a phone of their own; there is one HIT of two queries, for one worker."""
    question = html_question(render([("1", "how to bake bread"), ("2", "first queen")]))
    terms = {
        "Title": "Which gender does a query name?",
        "Description": "Read two search queries and choose a category for each.",
        "Reward": "0.25",
        "AssignmentDurationInSeconds": 600,
        "LifetimeInSeconds": 600,
        "MaxAssignments": 1,
        "Question": question,
    }
    requester = Requester.objects.create(name="Gender bias lab")
    operations()["CreateHIT"].carry(Call(requester, terms, datetime.now(UTC)))

    def come(clicks: list[str]) -> Page:
        context = new_context(base_url=live_server.url, viewport=PHONE)
        context.expose_function("countClick", lambda: clicks.append("click"))
        context.add_init_script(COUNT_CLICKS)
        return context.new_page()

    return come


def link() -> str:
    """The address of a link with places."""
    made = Channel.objects.create(
        requester=Requester.objects.get(),
        kind="link",
        places=5,
        hit_group_id=HITType.objects.get().hit_group_id,
        expires_at=datetime.now(UTC) + timedelta(days=1),
        created_at=datetime.now(UTC),
    )
    return f"/annotate/join/link/{channel_token(made)}/"


def look(page: Page, name: str) -> None:
    """The page fits, and no rule of accessibility is broken, in light and dark."""
    # A click may still be leading to another page, whose document has no element at first.
    assert page.locator("html").evaluate("html => html.scrollWidth") <= PHONE["width"], name
    for scheme in ("dark", "light"):
        page.emulate_media(color_scheme=scheme)
        if folder := os.environ.get("ANNOTATORS_WAY"):
            page.screenshot(path=f"{folder}/{name}-{scheme}.png", full_page=True)
        assert Axe().run(page).response["violations"] == [], (name, scheme)


def send_answer(page: Page) -> None:
    answer(page)
    page.keyboard.press("Enter")


def test_one_takes_back_an_answer_and_the_participant_who_found_no_place_gets_it(
    visitor: Visitor,
) -> None:
    Panel.objects.create(
        slug="gender", provider="prolific", completion_code="DONE-1", screen_out_code="OUT-1"
    )
    of_anna: list[str] = []
    of_eve: list[str] = []
    anna, eve = visitor(of_anna), visitor(of_eve)
    anna.goto(link())
    look(anna, "1-join")
    anna.get_by_role("button", name="Start").click()
    look(anna, "2-preview")
    anna.get_by_role("button", name="Accept").click()
    expect(task_of(anna).get_by_role("button", name="Start")).to_be_visible()
    look(anna, "3-task")

    eve.goto("/annotate/panel/gender/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    expect(eve.get_by_role("group").get_by_role("code")).to_have_text("OUT-1")
    look(eve, "4-no-place")

    send_answer(anna)
    expect(anna.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()
    assert 0 < len(of_anna) <= MOST_CLICKS
    look(anna, "5-submitted")
    anna.get_by_role("link", name="My work").first.click()
    look(anna, "6-my-work")
    anna.get_by_role("link", name="Withdraw the answer").click()
    look(anna, "7-withdraw")
    anna.keyboard.press("Tab")
    anna.get_by_role("button", name="Withdraw the answer").press("Enter")
    expect(anna).to_have_url("/annotate/work/")
    look(anna, "8-my-work-after")

    eve.locator("main").get_by_role("link").click()
    look(eve, "9-welcome")
    eve.locator("main a[href*='/groups/']").click()
    eve.get_by_role("button", name="Accept").click()
    expect(task_of(eve).get_by_role("button", name="Start")).to_be_visible()
    send_answer(eve)
    expect(eve.get_by_role("group").get_by_role("code")).to_have_text("DONE-1")
    assert 0 < len(of_eve) <= MOST_CLICKS_AFTER_WAITING
    look(eve, "10-code")

    anna.goto("/annotate/")
    look(anna, "11-nothing-to-do")
    anna.goto("/annotate/work/withdraw/")
    look(anna, "12-withdraw-all")
    anna.goto("/annotate/work/")
    anna.get_by_role("button", name="Deutsch").click()
    expect(anna.locator("html")).to_have_attribute("lang", "de")
    look(anna, "13-my-work-german")
    anna.goto("/annotate/work/erase/")
    look(anna, "14-erase")
    anna.get_by_role("main").get_by_role("button").press("Enter")
    look(anna, "15-erased")
    assert not Worker.objects.earliest("pk").active
    assert Assignment.objects.filter(state="Submitted").count() == 1
