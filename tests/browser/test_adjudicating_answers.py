"""Deciding open questions of a scheme with the keyboard, and on a phone."""

import os
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import Page, expect
from pytest_django.live_server_helper import LiveServer

from annotation.core.perform import perform_here
from annotation.labels.operations.adjudicate import ADJUDICATE
from annotation.models import Batch, Label
from annotation.vocabulary import BatchState
from tests.browser.conftest import NewContext
from tests.browser.measures import fits
from tests.schemed import GRADED, STAFF, answer, made, submit
from tests.site.every_page import signed_in
from tests.study import stored_pool

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
    pytest.mark.long,
]

#: Where pictures of the pages go, where somebody wants to look at them.
_PICTURES = os.environ.get("SCHEME_PICTURES", "")


def picture(page: Page, name: str) -> None:
    if _PICTURES:
        page.screenshot(path=Path(_PICTURES) / f"{name}.png", full_page=True)


def tied() -> Batch:
    """A tie on whether q1 names a religion, and no majority for whose that of q3 is."""
    batch = made(stored_pool(4).belongs.study)
    answer(batch, "A1", ["no", "no", "yes", "skip"])
    answer(batch, "A2", ["yes", "no", "christians", "skip"])
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return batch


def test_keys_choose_mark_and_decide(live_server: LiveServer, new_context: NewContext) -> None:
    client, batch = signed_in(), tied()
    context = new_context(base_url=live_server.url, viewport={"width": 1280, "height": 800})
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.goto(reverse("batch-adjudication", args=[batch.pk]))
    expect(page.get_by_role("group", name="Does the query name a religion?")).to_be_visible()
    picture(page, "adjudicate-single")
    page.keyboard.press("1")
    expect(page.get_by_label("Why")).to_be_focused()
    page.keyboard.type("It names none.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided: “Does the query name a religion?” is No.")).to_be_visible()

    whose = page.get_by_role("group", name="Whose?")
    expect(whose).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.press("2")
    expect(whose.get_by_role("checkbox", checked=True)).to_have_count(2)
    picture(page, "adjudicate-multi")
    page.keyboard.press("Enter")
    expect(page.get_by_label("Why")).to_be_focused()
    page.keyboard.type("Both.")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is left to decide")).to_be_visible()
    assert Label.objects.get(question="groups").codes == ["m", "c"]
    picture(page, "adjudicate-done")
    page.goto(reverse("batch-labels", args=[batch.pk]))
    expect(page.get_by_role("navigation", name="Questions")).to_be_visible()
    picture(page, "labels")


def test_the_key_of_an_answer_is_its_code_where_all_are_digits(
    live_server: LiveServer, new_context: NewContext
) -> None:
    client, batch = signed_in(), made(stored_pool(4).belongs.study, scheme=GRADED)
    for worker, grade in (("A1", "0"), ("A2", "2")):
        submit(batch, worker, [(f"q-{place}-grade", grade) for place in range(4)])
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    context = new_context(base_url=live_server.url)
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    for grade in ("0", "2"):
        page.goto(reverse("batch-adjudication", args=[batch.pk]))
        expect(page.locator("fieldset kbd")).to_have_text(["0", "1", "2", "x"])
        page.keyboard.press(grade)
        page.keyboard.type("As it is.")
        page.keyboard.press("Enter")
        expect(page.get_by_text(f"Decided: Grade {grade}.")).to_be_visible()


def test_a_phone_shows_the_question_whole(live_server: LiveServer, new_context: NewContext) -> None:
    client, batch = signed_in(), tied()
    first = batch.queries.earliest("position").qid
    sent = {"qid": first, "question": "named", "category": "no", "reason": "It names none."}
    perform_here(ADJUDICATE, batch, sent, STAFF)
    phone = {"width": 390, "height": 844}
    context = new_context(base_url=live_server.url, viewport=phone, color_scheme="dark")
    session = client.cookies["sessionid"].value
    context.add_cookies([{"name": "sessionid", "value": session, "url": live_server.url}])
    page = context.new_page()
    page.goto(reverse("batch-adjudication", args=[batch.pk]))
    expect(page.get_by_role("group", name="Whose?")).to_be_visible()
    assert fits(page)
    picture(page, "adjudicate-phone")
