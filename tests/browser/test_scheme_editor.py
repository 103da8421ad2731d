"""The editor of a scheme: from blank to labels, by keys, on a phone, on a slow line, unscripted."""

import re
from pathlib import Path

import pytest
from django.urls import reverse
from playwright.sync_api import FrameLocator, Locator, Page, Route, expect
from pytest_django.live_server_helper import LiveServer

from annotation.models import Batch
from annotation.schemes import Scheme
from annotation.schemes.kinds.multi import MULTI
from tests.browser.conftest import NewContext
from tests.browser.frame import query_named
from tests.browser.measures import fits
from tests.browser.test_a_study import (
    ANSWERS,
    PHONE,
    begin_with_files,
    invited,
    project,
    score_and_pool,
    task_of,
)
from tests.browser.test_a_study_by_a_scheme import collect, picture, publish
from tests.browser.test_every_page import violations
from tests.project import Project
from tests.schemed import made
from tests.study import stored_pool

__all__ = ["project"]

pytestmark = pytest.mark.django_db(transaction=True)

#: Queries in which the annotators see politics.
POLITICAL = [*ANSWERS][:2]
SUBJECTS = ("Taxes", "Migration", "Health")
#: Seconds that a slow line takes to answer.
SLOW = 1.5


@pytest.fixture
def batch() -> Batch:
    return made(stored_pool(4).belongs.study)


def question(page: Page, number: int) -> Locator:
    return page.get_by_role("group", name=f"Question {number}", exact=True)


def happened(page: Page, words: str) -> None:
    expect(page.locator("#happened")).to_have_text(words)


def ask(page: Page, number: int, text: str, kind: str, *options: str) -> None:
    """Write a question, with Enter from one option to the next."""
    part = question(page, number)
    part.get_by_label("Question", exact=True).fill(text)
    part.get_by_label("Answer", exact=True).select_option(label=kind)
    noun = "Point" if kind == "A point of a scale" else "Option"
    for place, option in enumerate(options, start=1):
        label = part.get_by_label(f"{noun} {place}", exact=True)
        if place > 2:
            page.keyboard.press("Enter")
            happened(page, f"{noun} {place} added.")
            expect(label).to_be_focused()
        label.fill(option)


def write_about_politics(page: Page) -> None:
    page.get_by_label("Title", exact=True).fill("Politics of a query")
    ask(page, 1, "Is the query political?", "One of several options", "No", "Yes")
    for number in (2, 3, 4):
        page.get_by_role("button", name="Add a question").click()
        expect(question(page, number).get_by_label("Question", exact=True)).to_be_focused()
    ask(page, 2, "Which subjects does it name?", "Several options", *SUBJECTS)
    ask(page, 3, "Which way does it lean?", "A point of a scale", "Left", "Neither", "Right")
    ask(page, 4, "Why?", "Free text")
    expect(question(page, 4).get_by_role("button", name="Add an option")).to_be_hidden()
    for number in (2, 4):
        part = question(page, number)
        part.locator("summary", has_text="Help, condition, and more").click()
        part.get_by_label("Asked only after").select_option(label="Is the query political?")
        part.get_by_role("group", name="Asked if").get_by_label("Yes").check()
    question(page, 4).get_by_label("Must be answered").uncheck()
    first = question(page, 1)
    first.get_by_text("Definition and examples").first.click()
    first.get_by_label("Definition").first.fill("No party, law or dispute.")


@pytest.mark.long
def test_questions_about_politics_from_blank_to_labels(
    project: Project, new_context: NewContext, tmp_path: Path
) -> None:
    with project.site() as site:
        page = new_context().new_page()
        begin_with_files(page, site, tmp_path)
        score_and_pool(page)
        page.get_by_role("link", name="New batch of 4 queries").click()
        page.get_by_label("Name").fill("politics")
        page.get_by_label("Queries per HIT").fill("4")
        page.get_by_label("What to ask").select_option(label="Blank: questions of my own")
        page.get_by_role("button", name="Create the draft").click()
        picture(page, "editor-blank")
        write_about_politics(page)
        page.get_by_label("Title", exact=True).fill("")
        page.get_by_role("button", name="Save scheme").click()
        alert = page.get_by_role("alert")
        expect(alert).to_contain_text("Nothing of this is saved yet.")
        expect(alert).to_be_focused()
        picture(page, "editor-wrong")
        page.get_by_label("Title", exact=True).fill("Politics of a query")
        page.locator("summary", has_text="What reports measure by default").click()
        page.get_by_label("What they are called in reports").fill("queries without politics")
        page.get_by_role("group", name="Queries with one of these").get_by_label("No").check()
        with page.expect_popup() as opened:
            page.get_by_role("button", name="Preview in a new tab").click()
        preview = task_of(opened.value, "The HIT")
        expect(preview.get_by_text("Which way does it lean?").first).to_be_attached()
        opened.value.close()
        picture(page, "editor-politics")
        page.get_by_role("button", name="Save scheme").click()
        expect(page.get_by_text("Saved as version 2 of the scheme.")).to_be_visible()
        publish(page)
        link = invited(page)
        for context in (new_context(), new_context(viewport=PHONE, has_touch=True), new_context()):
            answer(context.new_page(), link)
        collect(page)
        page.get_by_role("link", name="Labels", exact=True).click()
        page.get_by_role("button", name="Decide labels").click()
        expect(page.get_by_role("link", name="All labels", exact=True)).to_be_visible()
        picture(page, "politics-labels")
        page.get_by_role("link", name="Answers", exact=True).click()
        row = page.get_by_role("row").filter(has_text=POLITICAL[0])
        expect(row).to_contain_text("Yes")
        page.get_by_role("link", name="Agreement", exact=True).click()
        for text in ("Is the query political?", "Which subjects does it name?", "Why?"):
            expect(page.get_by_role("region", name=text, exact=True)).to_be_visible()
        picture(page, "politics-agreement")


def answer(page: Page, link: str) -> None:
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    task = task_of(page, "The task")
    task.get_by_role("button", name="Start").click()
    for _query in ANSWERS:
        place, text = query_named(task.get_by_role("heading", name=re.compile(r"^Query \d")))
        choose(task, "Is the query political?", "Yes" if text in POLITICAL else "No")
        if text in POLITICAL:
            choose(task, "Which subjects does it name?", "Taxes")
            choose(task, "Which subjects does it name?", "Health")
            task.get_by_role("textbox", name="Why?").fill("It names a tax.")
        choose(task, "Which way does it lean?", "Neither")
        task.get_by_role("button", name="Next").click()
        expect(task.get_by_role("heading", name=place)).to_have_count(0)
    task.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()


def choose(task: FrameLocator, text: str, label: str) -> None:
    group = task.get_by_role("group", name=text)
    group.get_by_role("radio", name=label, exact=True).or_(
        group.get_by_role("checkbox", name=label, exact=True)
    ).check()


@pytest.fixture(params=[True, False], ids=["script", "no script"])
def page(
    request: pytest.FixtureRequest, new_context: NewContext, live_server: LiveServer, batch: Batch
) -> Page:
    """The editor on the narrowest phone, in the dark."""
    context = new_context(
        java_script_enabled=request.param,
        viewport={"width": 320, "height": 640},
        color_scheme="dark",
    )
    page = context.new_page()
    page.goto(live_server.url + reverse("batch-scheme", args=[batch.pk]))
    return page


def stored(batch: Batch) -> Scheme:
    return Batch.objects.get(pk=batch.pk).scheme


@pytest.mark.long
def test_everything_is_done_by_keys_with_and_without_a_script(page: Page, batch: Batch) -> None:
    part = question(page, 2)
    part.get_by_role("button", name="Add an option to question 2").press("Enter")
    happened(page, "Option 4 added.")
    expect(part.get_by_label("Option 4", exact=True)).to_be_focused()
    page.keyboard.type("Hindus")
    up = part.get_by_role("button", name="Move option 4 of question 2 up")
    up.press("Enter")
    happened(page, "Option “Hindus” is now 3 of 4.")
    for place in (2, 1):
        # The focus went along with the option.
        page.keyboard.press("Enter")
        happened(page, f"Option “Hindus” is now {place} of 4.")
    expect(part.get_by_role("button", name="Move option 1 of question 2 down")).to_be_focused()
    part.get_by_role("button", name="Remove option 4 of question 2").press("Space")
    happened(page, "Option “Jews” removed, 3 left.")
    expect(part.get_by_label("Option 3", exact=True)).to_be_focused()
    page.get_by_role("button", name="Move question 3 up").press("Enter")
    happened(page, "Question “How harmful would a wrong answer be?” is now 2 of 3.")
    page.get_by_role("button", name="Save scheme").press("Enter")
    expect(page.get_by_text("Saved as version 2 of the scheme.")).to_be_visible()
    assert [one.name for one in stored(batch).questions] == ["named", "harm", "groups"]
    assert stored(batch).question("groups").codes == ("hindus", "m", "c")


@pytest.mark.long
@pytest.mark.parametrize("page", [True], indirect=True)
def test_errors_and_changes_fit_a_phone_and_are_accessible(page: Page, batch: Batch) -> None:
    page.get_by_role("button", name="Add a question").click()
    expect(question(page, 4).get_by_label("Question", exact=True)).to_be_focused()
    assert fits(page)
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_text("One of several options needs at least two")).to_be_visible()
    page.get_by_role("link", name="question 4", exact=True).click()
    expect(question(page, 4).get_by_label("Question", exact=True)).to_be_focused()
    page.evaluate("document.querySelectorAll('details').forEach(one => { one.open = true })")
    assert fits(page)
    picture(page, "editor-phone-dark")
    assert not violations(page, page.url)
    assert len(stored(batch).questions) == 3


@pytest.mark.long
@pytest.mark.parametrize("page", [True], indirect=True)
def test_lines_pasted_into_an_option_become_options(page: Page, batch: Batch) -> None:
    label = question(page, 1).get_by_label("Option 2", exact=True)
    label.evaluate(_PASTE, "Perhaps\nRarely\n\nOften\n")
    happened(page, "4 options now.")
    expect(question(page, 1).get_by_label("Option 4", exact=True)).to_be_focused()
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_text("Saved as version 2 of the scheme.")).to_be_visible()
    labels = [option.label for option in stored(batch).question("named").options]
    assert labels == ["No", "Perhaps", "Rarely", "Often"]


#: Does what pasting does, without the clipboard of the machine.
_PASTE = """(field, text) => {
  const clipboardData = new DataTransfer();
  clipboardData.setData("text", text);
  const how = { clipboardData, bubbles: true, cancelable: true };
  field.dispatchEvent(new ClipboardEvent("paste", how));
}"""


@pytest.mark.long
@pytest.mark.parametrize("page", [True], indirect=True)
def test_what_is_typed_while_the_server_answers_is_kept(page: Page, batch: Batch) -> None:
    address = re.compile("/scheme/save/")

    def slowly(route: Route) -> None:
        page.wait_for_timeout(1000 * SLOW)
        route.continue_()

    page.route(address, slowly)
    add = page.get_by_role("button", name="Add an option to question 1")
    add.click()
    add.click()
    page.get_by_label("Title", exact=True).fill("Faith")
    happened(page, "Option 4 added.")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Faith")
    page.unroute(address)
    page.route(address, lambda route: route.abort())
    add.click()
    expect(page.locator("#happened")).to_contain_text("What you typed is still here")
    expect(page.get_by_label("Title", exact=True)).to_have_value("Faith")
    page.unroute(address)
    question(page, 1).get_by_label("Answer", exact=True).select_option(MULTI.name)
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_text("Saved as version 2 of the scheme.")).to_be_visible()
    assert stored(batch).title == "Faith"
    assert stored(batch).question("named").kind == MULTI
