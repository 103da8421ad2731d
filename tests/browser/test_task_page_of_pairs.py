"""The page of a HIT that judges passages, in a real Chromium: folds, marks, keys, small screens."""

import pytest
from playwright.sync_api import Locator, expect

from annotation.schemes import built_in_scheme
from annotation.task_page import PageTexts, render
from tests.browser.conftest import NewContext, two_machines
from tests.browser.frame import Frame
from tests.browser.test_task_page import FIELDS, HEBREW, problems_of

QUERIES = ["what is a cold front", "who wrote emma", HEBREW]
HOSTILE = (
    "A cold front <b onclick=alert(1)>moves</b> &amp; fronts </p></script> meet confronted air."
)
LONG = "Emma is a novel by Jane Austen. " + "It is about a young woman. " * 60
PASSAGES = [HOSTILE, LONG, f"{HEBREW} " * 20]
#: The last line of a passage lies within its box.
IS_WHOLE = "one => one.scrollHeight <= one.clientHeight + 1"


def frame_of_pairs(new_context: NewContext) -> Frame:
    frame = Frame(new_context(), QUERIES, passages=PASSAGES, scheme="relevance")
    frame.begin()
    return frame


def passage_in(frame: Frame) -> Locator:
    return frame.task.locator(".item:visible .passage p")


def test_a_passage_is_judged_with_its_query(new_context: NewContext) -> None:
    frame = frame_of_pairs(new_context)
    frame.expect_query("what is a cold front", "Passage 1 of 3")
    expect(passage_in(frame)).to_have_text(HOSTILE)
    # Whoever listens hears the passage with the choices, which have the focus.
    expect(frame.task.get_by_role("group")).to_have_accessible_description(HOSTILE)
    frame.press("2")
    expect(frame.task.get_by_role("status")).to_have_text("Passage 1: Relevant.")
    frame.press("0", "3")
    line = frame.task.get_by_role("listitem").filter(has_text="who wrote emma")
    expect(line).to_contain_text("Emma is a novel by Jane Austen.")
    frame.press("Enter")
    assert frame.answered() == FIELDS | {
        "q-0-relevance": "2", "q-1-relevance": "0", "q-2-relevance": "3",
    }  # fmt: skip


def test_the_words_of_the_query_are_marked_once_that_is_asked_for(new_context: NewContext) -> None:
    frame = frame_of_pairs(new_context)
    marks = passage_in(frame).locator("mark")
    expect(marks).to_have_count(0)
    frame.press("q")
    # Neither the words that every text has, nor those that have a word of the query inside.
    expect(marks).to_have_text(["cold", "front", "fronts"])
    expect(passage_in(frame)).to_have_text(HOSTILE)
    assert frame.task.locator(".passage b").count() == 0
    frame.press("1")
    expect(marks).to_have_text(["Emma"])
    button = frame.task.get_by_role("button", name="Mark the query’s words")
    expect(button).to_have_attribute("aria-pressed", "true")
    button.click()
    expect(marks).to_have_count(0)
    expect(passage_in(frame)).to_have_text(LONG.strip())


def test_a_long_passage_is_folded_until_somebody_opens_it(new_context: NewContext) -> None:
    frame = frame_of_pairs(new_context)
    expect(frame.task.get_by_label("Show the whole passage")).to_have_count(1)
    assert passage_in(frame).evaluate(IS_WHOLE)
    frame.press("1")
    assert not passage_in(frame).evaluate(IS_WHOLE)
    frame.press("w")
    assert passage_in(frame).evaluate(IS_WHOLE)
    # The choices keep the focus.
    frame.press("ArrowDown", "Enter")
    frame.press("b")
    assert passage_in(frame).evaluate(IS_WHOLE)
    frame.task.get_by_label("Show the whole passage").uncheck()
    assert not passage_in(frame).evaluate(IS_WHOLE)


def test_a_passage_that_was_opened_is_open_again_after_a_broken_submit(
    new_context: NewContext,
) -> None:
    frame = frame_of_pairs(new_context)
    frame.broken = True
    frame.press("1", "w", "1", "1")
    with frame.page.expect_event("requestfailed"):
        frame.press("Enter")
    frame.page.evaluate("history.back()")
    expect(frame.task.get_by_role("status")).to_have_text("Your earlier answers are back.")
    frame.task.get_by_role("button", name="Change the answer to passage 2").click()
    expect(frame.task.get_by_label("Show the whole passage")).to_be_checked()
    frame.broken = False
    frame.press("Enter", "Enter")
    # That it was opened is nobody's answer.
    assert set(frame.answered()) == set(FIELDS) | {f"q-{place}-relevance" for place in range(3)}


def test_a_preview_folds_nothing(new_context: NewContext) -> None:
    preview = "ASSIGNMENT_ID_NOT_AVAILABLE"
    frame = Frame(new_context(), QUERIES, passages=PASSAGES, scheme="relevance", assignment=preview)
    expect(frame.task.get_by_text("This is a preview.")).to_be_visible()
    assert all(one.evaluate(IS_WHOLE) for one in frame.task.locator(".passage p").all())


def test_without_script_a_long_passage_opens(new_context: NewContext) -> None:
    page = new_context(java_script_enabled=False).new_page()
    items = [("q d1", "who wrote emma", LONG), ("q d2", "who wrote emma", "Jane Austen did.")]
    page.set_content(render(items, PageTexts(built_in_scheme("relevance"))))
    folded = page.locator(".passage p").first
    before = folded.bounding_box()
    page.get_by_label("Show the whole passage").check()
    after = folded.bounding_box()
    assert before is not None
    assert after is not None
    assert after["height"] > 2 * before["height"]
    expect(page.get_by_role("button")).to_have_text(["Submit"])


@pytest.mark.long
@two_machines
@pytest.mark.parametrize("colours", ["light", "dark"])
@pytest.mark.parametrize("scheme", ["relevance", "passage_gender"])
def test_every_state_of_the_page_is_accessible_and_fits_a_phone(
    new_context: NewContext, scheme: str, colours: str
) -> None:
    context = new_context(viewport={"width": 320, "height": 640}, color_scheme=colours)
    page = context.new_page()
    texts = [*QUERIES[:2], "queen " + "x" * 80]
    passages = ["y" * 300, LONG, HEBREW]
    items = [(f"q d{n}", *pair) for n, pair in enumerate(zip(texts, passages, strict=True))]
    page.set_content(render(items, PageTexts(built_in_scheme(scheme))))
    found = problems_of(page)
    page.get_by_role("button", name="Start").click()
    for keys in ("q", "11", "w", "1", "1"):
        for key in keys:
            page.keyboard.press(key)
        found += problems_of(page)
    assert found == []
