"""An annotator at the crowd service: what the connection takes away, the browser keeps."""

import re
from datetime import UTC, datetime, timedelta

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.crowd.questions import html_question
from annotation.task_page import render
from mturk_local.answers import answer_values
from mturk_local.lifecycle.assignments import assignment_abandon
from mturk_local.models import HIT, Assignment, EntryChannel, Requester
from mturk_local.operations import Call, operations
from mturk_local.workers import worker_create
from tests.browser.conftest import NewContext

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

SUBMIT = "**/mturk/externalSubmit"
#: The first keys of a person, and what each makes go away.
KEYS = {"Enter": "Start", "1": "Query 1 of 2"}
SENT = {"v": "2", "q-0-gender": "n", "q-1-gender": "f"}


@pytest.fixture
def context(live_server: LiveServer, new_context: NewContext) -> BrowserContext:
    """The browser of Anna, who has signed in; there is one HIT of two queries to do."""
    question = html_question(render([("1", "how to bake bread"), ("2", "first queen")]))
    terms = {
        "Title": "Queries",
        "Description": "Label queries.",
        "Reward": "0.25",
        "AssignmentDurationInSeconds": 600,
        "LifetimeInSeconds": 600,
        "MaxAssignments": 1,
        "Question": question,
    }
    requester = Requester.objects.create(name="lab")
    operations()["CreateHIT"].carry(Call(requester, terms, datetime.now(UTC)))
    worker_create(entry_channel=EntryChannel.ACCOUNT, username="anna", password="correct horse")
    context = new_context(base_url=live_server.url)
    page = context.new_page()
    page.goto("/annotate/sign-in/")
    page.get_by_label("Name").fill("anna")
    page.get_by_label("Password").fill("correct horse")
    page.get_by_role("button", name="Sign in").click()
    page.get_by_role("link", name="Queries").click()
    page.get_by_role("button", name="Accept").click()
    # Whatever a test does to the connection, it does to a page that is there.
    expect(task_of(page).get_by_role("button", name="Start")).to_be_visible()
    return context


def task_of(page: Page) -> FrameLocator:
    return page.frame_locator("iframe[title='The task']")


def answer(page: Page) -> None:
    """Two queries; the frame has the focus from the start, so that keys work."""
    expect(page.locator("iframe")).to_be_focused()
    # For after the answer alone: before it, the button would do nothing.
    expect(page.get_by_role("button", name="Continue", exact=True)).to_be_hidden()
    for key, text in KEYS.items():
        page.keyboard.press(key)
        expect(task_of(page).get_by_text(text, exact=True)).to_be_hidden()
    page.keyboard.press("2")
    expect(task_of(page).get_by_role("button", name="Submit")).to_be_focused()


def handed_in() -> dict[str, str]:
    """The answer of the only assignment there is."""
    return answer_values(Assignment.objects.get(state="Submitted").answer)


@pytest.mark.long
def test_a_key_that_the_window_was_given_reaches_the_task(context: BrowserContext) -> None:
    """As Chromium now and then gives the first one, though the frame has the focus."""
    page = context.pages[0]
    expect(page.locator("iframe")).to_be_focused()
    for key, text in KEYS.items():
        page.locator("iframe").dispatch_event("keydown", {"key": key})
        expect(task_of(page).get_by_text(text, exact=True)).to_be_hidden()


@pytest.mark.long
def test_answers_survive_that_the_page_is_opened_anew(context: BrowserContext) -> None:
    page = context.pages[0]
    answer(page)
    page.close()
    again = context.new_page()
    again.goto("/annotate/")
    again.get_by_role("link", name="Queries").first.click()
    expect(task_of(again).get_by_role("heading", name="Your answers")).to_be_visible()
    task_of(again).get_by_role("button", name="Submit").click()
    expect(again.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()
    assert handed_in() == SENT
    kept = again.evaluate("Object.keys(localStorage)")
    assert [name for name in kept if name.startswith("task:")] == []


@pytest.mark.long
@pytest.mark.parametrize("is_stored", [False, True], ids=["request lost", "reply lost"])
def test_an_answer_lost_on_its_way_is_sent_again_and_counts_once(
    context: BrowserContext, is_stored: bool
) -> None:
    page = context.pages[0]
    answer(page)
    tries: list[str] = []

    def lose(route: Route) -> None:
        tries.append(route.request.url)
        if is_stored:
            route.fetch()
        route.abort("connectionreset")

    context.route(SUBMIT, lose, times=1)
    page.keyboard.press("Enter")
    expect(page.get_by_role("alert")).to_contain_text("Your answers are kept")
    expect(page.locator("iframe")).to_be_hidden()
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()
    assert len(tries) == 1
    assert handed_in() == SENT


@pytest.mark.long
def test_an_answer_given_offline_is_sent_once_the_connection_is_back(
    context: BrowserContext,
) -> None:
    page = context.pages[0]
    sent: list[str] = []
    context.on("request", lambda one: sent.append(one.url) if "externalSubmit" in one.url else None)
    context.set_offline(True)
    answer(page)
    page.keyboard.press("Enter")
    expect(task_of(page).get_by_role("alert")).to_contain_text("Your answers are kept")
    assert sent == []
    context.set_offline(False)
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()
    assert len(sent) == 1
    assert handed_in() == SENT


@pytest.mark.long
def test_the_way_back_to_a_task_that_is_done_answers_nothing(context: BrowserContext) -> None:
    page = context.pages[0]
    answer(page)
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()
    page.go_back()
    expect(page.locator("body")).not_to_contain_text("Submit before")
    assert handed_in() == SENT


@pytest.mark.long
def test_a_task_that_came_by_itself_is_held_by_its_page_and_kept_by_the_first_answer(
    context: BrowserContext,
) -> None:
    page = context.pages[0]
    first = HIT.objects.get()
    HIT.objects.create(
        requester=first.requester,
        hit_type=first.hit_type,
        question=first.question,
        max_assignments=1,
        open_slots=1,
        cost_cents=first.cost_cents,
        expiration=first.expiration,
        created_at=first.created_at,
    )
    answer(page)
    page.keyboard.press("Enter")
    expect(page).to_have_url(re.compile(r"\?submitted"))
    expect(task_of(page).get_by_role("progressbar")).to_be_visible()
    held = Assignment.objects.select_related("hit__hit_type").get(state="Accepted")
    assert held.deadline - held.accepted_at < timedelta(minutes=3)
    # Whoever comes back to a task that was let go, and is free, goes on with it.
    assignment_abandon(assignment=held, now=datetime.now(UTC))
    with page.expect_response(re.compile("/stay/")) as called:
        page.evaluate("document.dispatchEvent(new Event('visibilitychange'))")
    assert called.value.status == 204
    with page.expect_response(re.compile("/stay/")):
        page.keyboard.press("1")
    held.refresh_from_db()
    assert (held.state, held.deadline) == ("Accepted", held.last_moment)
