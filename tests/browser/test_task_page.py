"""The page of a HIT in a real Chromium: keys, small screens, lost connections, no script."""

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Page, Route, expect

from annotation.task_page import PageTexts, render
from tests.browser.conftest import NewContext, two_machines
from tests.browser.frame import Frame

THREE = ["first queen", "how to bake bread", "kings of old"]
HEBREW = "מי הייתה המלכה הראשונה"
#: Presses, and presses again while the first answer is on its way.
TWICE = "one => { one.click(); setTimeout(() => { one.click(); console.log('twice'); }, 200); }"
FIELDS = {"assignmentId": "A1", "v": "2"}
CANNOT_TELL_KEY = "0"


def test_keys_answer_one_query_after_the_other_and_one_goes_back(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.begin()
    frame.expect_query("first queen", "Query 1 of 3")
    frame.press("2")
    frame.expect_query("how to bake bread", "Query 2 of 3")
    expect(frame.task.get_by_role("status")).to_have_text("Query 1: Female.")
    expect(frame.task.get_by_role("progressbar")).to_have_js_property("value", 1)
    frame.press("Enter")
    expect(frame.task.get_by_role("status")).to_have_text("Choose an answer first.")
    frame.press("3", "b")
    frame.expect_query("how to bake bread", "Query 2 of 3")
    expect(frame.task.get_by_role("radio", name="Male", exact=True)).to_be_checked()
    # Arrows move the choice without leaving the query, Enter goes on.
    frame.press("ArrowUp", "ArrowUp")
    frame.expect_query("how to bake bread", "Query 2 of 3")
    frame.press("Enter", "3")
    expect(frame.task.get_by_role("heading", name="Your answers")).to_be_visible()
    expect(frame.task.get_by_role("button", name="Submit")).to_be_focused()
    frame.press("Enter")
    assert frame.answered() == FIELDS | {"q-0-gender": "f", "q-1-gender": "n", "q-2-gender": "m"}


def test_a_held_key_answers_one_query(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.begin()
    for _ in range(3):
        frame.page.keyboard.down("1")
    frame.expect_query("how to bake bread", "Query 2 of 3")


@pytest.mark.long
def test_the_definitions_are_one_key_away_from_every_query(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.begin()
    frame.press("4")
    definition = frame.task.get_by_text("Nothing in the query refers to a gender.")
    expect(definition).to_be_hidden()
    frame.press("?")
    expect(definition).to_be_visible()
    expect(frame.task.get_by_text("average salary of a nurse")).to_be_visible()
    frame.press("?")
    frame.expect_query("how to bake bread", "Query 2 of 3")
    frame.task.get_by_role("button", name="Definitions and examples").click()
    expect(definition).to_be_visible()
    frame.task.get_by_role("button", name="Back to the query").click()
    frame.expect_query("how to bake bread", "Query 2 of 3")


@pytest.mark.long
def test_whoever_cannot_tell_may_say_why_and_comment_on_the_task(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.begin()
    frame.press("1", CANNOT_TELL_KEY)
    frame.expect_query("how to bake bread", "Query 2 of 3")
    frame.task.get_by_role("textbox", name="Why? (optional)").fill("two readings")
    frame.task.get_by_role("button", name="Next").click()
    frame.press("3")
    frame.task.get_by_label("A comment on this task (optional)").fill("Nice.")
    frame.task.get_by_role("button", name="Submit").click()
    assert frame.answered() == FIELDS | {
        "q-0-gender": "n",
        "q-1-gender": "?",
        "c-1-gender": "two readings",
        "q-2-gender": "m",
        "comment": "Nice.",
    }


@pytest.mark.long
def test_nobody_begins_without_agreeing_where_consent_is_asked_for(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE, consent="We keep no names.")
    expect(frame.task.get_by_role("heading", name="Consent")).to_be_visible()
    frame.begin()
    expect(frame.task.get_by_role("status")).to_contain_text("agree")
    expect(frame.task.locator("fieldset:visible")).to_have_count(0)
    frame.task.get_by_label("I have read this and agree to take part.").check()
    frame.begin()
    frame.press("1", "1", "1", "Enter")
    assert frame.answered()["consent"] == "yes"


LONG = "how many of the wives of king henry the eighth of england survived him"


@two_machines
def test_on_a_phone_the_query_and_its_choices_fit_and_nothing_moves(
    new_context: NewContext,
) -> None:
    frame = Frame(new_context(viewport={"width": 390, "height": 740}), ["first queen", LONG, "a"])
    frame.begin()
    seen = [boxes(frame)]
    for place in (2, 3):
        frame.task.locator("fieldset:visible label").first.click()
        expect(frame.task.get_by_text(f"Query {place} of 3", exact=True)).to_be_visible()
        seen.append(boxes(frame))
    # Fonts and scales round a box to a part of a pixel; a line that wraps moves it by twenty.
    assert seen[1] == pytest.approx(seen[0], abs=1)
    assert seen[2] == pytest.approx(seen[0], abs=1)
    assert seen[0]["top"] >= 0
    assert seen[0]["bottom"] <= 740 * 0.95
    assert seen[0]["title"] < 32


def boxes(frame: Frame) -> dict[str, float]:
    """Where the query begins and its last choice ends, and how high the title is."""
    return {
        "top": frame.task.locator("section:visible > h2 .place").bounding_box()["y"],  # type: ignore[index]
        "bottom": frame.task.get_by_role("radio", name="I cannot tell").evaluate(
            "one => one.labels[0].getBoundingClientRect().bottom"
        ),
        "title": frame.task.get_by_role("heading", level=1).bounding_box()["height"],  # type: ignore[index]
    }


@pytest.mark.long
def test_an_answer_can_be_changed_before_it_is_sent(new_context: NewContext) -> None:
    frame = Frame(new_context(has_touch=True), THREE)
    frame.begin()
    for name in ("Female", "Non-gendered", "Female"):
        frame.task.get_by_role("radio", name=name, exact=True).tap()
    frame.task.get_by_role("button", name="Change the answer to query 3").tap()
    frame.expect_query("kings of old", "Query 3 of 3")
    frame.task.get_by_role("radio", name="Male", exact=True).tap()
    frame.task.get_by_role("button", name="Submit").tap()
    assert frame.answered() == FIELDS | {"q-0-gender": "f", "q-1-gender": "n", "q-2-gender": "m"}


@pytest.mark.long
def test_answers_given_without_a_connection_are_sent_once_it_is_back(
    new_context: NewContext,
) -> None:
    context = new_context()
    frame = Frame(context, THREE)
    frame.begin()
    frame.press("1")
    context.set_offline(True)
    frame.press("1", "1", "Enter")
    expect(frame.task.get_by_role("alert")).to_contain_text("Your answers are kept")
    frame.press("Enter", "Enter")
    assert frame.arrived == []
    context.set_offline(False)
    assert frame.answered() == FIELDS | {"q-0-gender": "n", "q-1-gender": "n", "q-2-gender": "n"}


@pytest.mark.long
def test_a_second_press_of_submit_sends_nothing(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.hung = []
    frame.begin()
    frame.press("1", "1", "1")
    # Playwright waits for the reply before it touches the frame again; the page itself does not.
    with frame.page.expect_console_message():
        frame.task.get_by_role("button", name="Submit").evaluate(TWICE)
    while frame.hung:
        frame.hung.pop().fulfill(body="<h1>Stored</h1>", content_type="text/html")
    frame.answered()


@pytest.mark.long
def test_the_way_back_from_a_broken_submit_finds_the_answers(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.broken = True
    frame.begin()
    frame.press("1", "2", "3")
    with frame.page.expect_event("requestfailed"):
        frame.press("Enter")
    frame.page.evaluate("history.back()")
    expect(frame.task.get_by_role("status")).to_have_text("Your earlier answers are back.")
    assert frame.arrived == []
    frame.broken = False
    frame.task.get_by_role("button", name="Submit").click()
    assert frame.answered() == FIELDS | {"q-0-gender": "n", "q-1-gender": "f", "q-2-gender": "m"}


def test_a_preview_takes_no_answer(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE, assignment="ASSIGNMENT_ID_NOT_AVAILABLE")
    expect(frame.task.get_by_text("This is a preview.")).to_be_visible()
    expect(frame.task.locator("fieldset:visible")).to_have_count(3)
    assert frame.task.locator("input:enabled, button:enabled").count() == 0


@two_machines
def test_a_script_that_reads_from_right_to_left_begins_at_the_right(
    new_context: NewContext,
) -> None:
    frame = Frame(new_context(), [f"{HEBREW} (1952)", "plain"])
    frame.begin()
    query = frame.task.get_by_role("heading").get_by_text(f"{HEBREW} (1952)", exact=True)
    assert query.evaluate("one => getComputedStyle(one).direction") == "rtl"
    right = "one => { const range = document.createRange(); range.selectNodeContents(one);"
    right += " return one.getBoundingClientRect().right - range.getBoundingClientRect().right; }"
    assert query.evaluate(right) < 1


@two_machines
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_state_of_the_page_is_accessible_and_fits_a_phone(
    new_context: NewContext, scheme: str
) -> None:
    context = new_context(viewport={"width": 320, "height": 640}, color_scheme=scheme)
    page = context.new_page()
    page.set_content(
        render([("1", "queen " + "x" * 80), ("2", HEBREW)], PageTexts(consent="We agree."))
    )
    found = problems_of(page)
    page.get_by_label("I have read this and agree to take part.").check()
    page.get_by_role("button", name="Start").click()
    found += problems_of(page)
    page.keyboard.press(CANNOT_TELL_KEY)
    found += problems_of(page)
    page.keyboard.press("1")
    found += problems_of(page)
    query = page.get_by_role("heading").get_by_text(HEBREW, exact=True)
    size = query.evaluate("one => getComputedStyle(one).fontSize")
    assert float(size.removesuffix("px")) >= 24
    page.keyboard.press("1")
    found += problems_of(page)
    assert found == []


def problems_of(page: Page) -> list[str]:
    violations = Axe().run(page).response["violations"]
    found = [f"{one['id']}: {one['nodes'][0]['html'][:200]}" for one in violations]
    wide = page.locator("html").evaluate("html => html.scrollWidth")
    return found if wide <= 320 else [*found, f"{wide} pixels wide"]


def test_without_script_the_page_is_a_form_of_all_queries(new_context: NewContext) -> None:
    page = new_context(java_script_enabled=False).new_page()
    sent: list[str] = []

    def crowd(route: Route) -> None:
        sent.append(route.request.post_data or "")
        route.fulfill(body="<h1>Stored</h1>", content_type="text/html")

    page.route("https://www.mturk.com/**", crowd)
    page.set_content(render([("1", "a"), ("2", "b")]))
    expect(page.locator("fieldset:visible")).to_have_count(2)
    assert page.get_by_role("button").all_inner_texts() == ["Submit"]
    for group in page.locator("fieldset").all():
        group.get_by_label("Female").check()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Stored")).to_be_visible()
    assert sent == ["assignmentId=&v=2&q-0-gender=f&c-0-gender=&q-1-gender=f&c-1-gender=&comment="]


@pytest.mark.long
def test_every_query_can_be_gone_to_before_the_others_are_answered(new_context: NewContext) -> None:
    frame = Frame(new_context(), THREE)
    frame.begin()
    frame.task.get_by_role("button", name="All").click()
    frame.task.get_by_role("button", name="Answer query 3").click()
    frame.expect_query("kings of old", "Query 3 of 3")
    frame.press("3")
    frame.expect_query("first queen", "Query 1 of 3")
    frame.press("2")
    frame.task.get_by_role("button", name="All").click()
    lines = frame.task.get_by_role("listitem").filter(has=frame.task.get_by_role("button"))
    expect(lines).to_have_text(
        ["first queenFemaleChange", "how to bake breadAnswer", "kings of oldMaleChange"]
    )
    frame.task.get_by_role("button", name="Submit").click()
    expect(frame.task.get_by_role("status")).to_have_text("Query 2 has no answer yet.")
    frame.press("1", "Enter")
    assert frame.answered() == FIELDS | {
        "q-0-gender": "f", "q-1-gender": "n", "q-2-gender": "m",
    }  # fmt: skip
