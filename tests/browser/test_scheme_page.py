"""The task page of a scheme in a real Chromium: every kind of question by keys, and on a phone."""

from collections.abc import Callable
from urllib.parse import parse_qs

import pytest
from playwright.sync_api import BrowserContext, Page, Route, expect

from annotation.schemes import scheme_from_yaml
from annotation.task_page import PageTexts, read_answer, render
from tests.browser.conftest import NewContext, two_machines
from tests.schemed import GRADED, SCHEME

TASK = "https://task.example"
QUERIES = [("q1", "when does ramadan start"), ("q2", "how to bake bread")]
WHY = "- name: why\n  text: Why?\n  kind: text\n  required: false\nsubset:"


class Task:
    """The page by itself; `sent` has the fields of each submitted form."""

    def __init__(self, context: BrowserContext, scheme: str = SCHEME) -> None:
        self.scheme = scheme_from_yaml(scheme.replace("subset:", WHY))
        self.sent: list[dict[str, list[str]]] = []
        context.route(f"{TASK}/**", self._serve)
        self.page: Page = context.new_page()
        self.page.goto(f"{TASK}/hit?assignmentId=A1&turkSubmitTo={TASK}")

    def _serve(self, route: Route) -> None:
        if route.request.method == "POST":
            self.sent.append(parse_qs(route.request.post_data or "", keep_blank_values=True))
            route.fulfill(body="<!DOCTYPE html><h1>Stored</h1>", content_type="text/html")
        else:
            page = render(QUERIES, PageTexts(scheme=self.scheme))
            route.fulfill(body=page, content_type="text/html; charset=utf-8")

    def read(self) -> list[dict[str, frozenset[str]]]:
        fields = [(name, value) for name, values in self.sent[0].items() for value in values]
        return [dict(codes) for codes in read_answer(self.scheme, fields, 2).codes]


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


@pytest.mark.long
def test_every_kind_by_keys_with_a_condition_and_a_query_left_out(new_context: NewContext) -> None:
    task = Task(new_context())
    page = task.page
    expect(page.get_by_text("Some queries are hostile to believers.")).to_be_visible()
    page.get_by_role("button", name="Start").click()
    expect(page.get_by_text("when does ramadan start")).to_be_visible()
    expect(page.get_by_role("group", name="Whose?")).to_be_hidden()
    press(page, "2")
    expect(page.get_by_role("group", name="Whose?")).to_be_visible()
    press(page, "Enter")
    expect(page.get_by_role("status")).to_have_text("Choose an answer first.")
    press(page, "1", "3")
    page.get_by_role("group", name="How harmful").get_by_text("Very").click()
    page.get_by_role("textbox", name="Why?").fill("a feast")
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_text("how to bake bread")).to_be_visible()
    page.get_by_role("checkbox", name="Leave out this query").check()
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("listitem").get_by_text("left out")).to_be_visible()
    page.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Stored")).to_be_visible()
    groups = frozenset({"m", "j"})
    harm = frozenset({"3"})
    assert task.read() == [{"named": frozenset({"yes"}), "groups": groups, "harm": harm}, {}]


@pytest.mark.long
def test_the_key_of_an_option_is_its_code_where_all_are_digits(new_context: NewContext) -> None:
    task = Task(new_context(), GRADED)
    task.page.get_by_role("button", name="Start").click()
    signs = task.page.locator(".item:visible fieldset kbd")
    expect(signs).to_have_text(["0", "1", "2", "x"])
    press(task.page, "0", "Enter", "x", "Enter")
    task.page.get_by_role("button", name="Submit").click()
    expect(task.page.get_by_role("heading", name="Stored")).to_be_visible()
    assert [set(codes["grade"]) for codes in task.read()] == [{"0"}, {"3"}]


@pytest.mark.long
def test_what_was_answered_is_kept_when_the_page_is_loaded_again(new_context: NewContext) -> None:
    task = Task(new_context())
    task.page.get_by_role("button", name="Start").click()
    press(task.page, "1", "2", "Enter")
    expect(task.page.get_by_text("how to bake bread")).to_be_visible()
    task.page.reload()
    expect(task.page.get_by_text("how to bake bread")).to_be_visible()
    task.page.get_by_role("button", name="Previous").click()
    expect(task.page.get_by_role("radio", name="No", exact=True)).to_be_checked()


@pytest.mark.long
@two_machines
@pytest.mark.parametrize("has_script", [True, False])
def test_a_phone_shows_it_within_its_width(new_context: NewContext, has_script: bool) -> None:
    task = Task(new_context(viewport={"width": 390, "height": 844}, java_script_enabled=has_script))
    if has_script:
        task.page.get_by_role("button", name="Start").click()
    size: Callable[[str], float] = task.page.locator("body").evaluate
    if has_script:
        assert size("body => body.scrollWidth") <= 390
        task.page.get_by_role("group", name="Does the query name").get_by_text("Yes").click()

    else:
        expect(task.page.get_by_role("button", name="Submit")).to_be_visible()


@pytest.mark.parametrize("width", [390, 700, 1280])
def test_points_stand_in_one_row_or_one_column_and_what_is_missing_is_in_view(
    new_context: NewContext, width: int
) -> None:
    page = Task(new_context(viewport={"width": width, "height": 420})).page
    page.get_by_role("button", name="Start").click()
    press(page, "1")
    labels = page.get_by_role("group", name="How harmful").locator("label").all()
    boxes = [box for label in labels if (box := label.bounding_box())]
    assert len(boxes) > 2
    assert 1 in (len({box["x"] for box in boxes}), len({box["y"] for box in boxes}))
    page.get_by_role("button", name="Next").click()
    expect(page.get_by_role("status")).to_have_text("Choose an answer first.")
    expect(page.get_by_role("status")).to_be_in_viewport(ratio=1)
