"""A study whose batch asks three questions of its own, from files to its bias, by pages alone."""

import os
import re
from pathlib import Path
from typing import NamedTuple

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Page, expect

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
from tests.project import Project
from tests.schemed import SCHEME

__all__ = ["project"]

#: Where pictures of the pages go, where somebody wants to look at them.
_PICTURES = os.environ.get("SCHEME_PICTURES", "")


class Said(NamedTuple):
    """What one annotator says: whether a religion is named, whose (several), how harmful."""

    named: str
    groups: tuple[str, ...]
    harm: str


NONE, TWO, ONE = Said("No", (), "Not at all"), Said("Yes", ("Muslims", "Hindus"), "Very"), Said(
    "Yes", ("Muslims",), "2"
)  # fmt: skip
#: By query what each of three annotators says; one of them disagrees on the last.
SAID = dict(
    zip(
        ANSWERS,
        [(TWO, TWO, ONE), (ONE, TWO, ONE), (NONE, NONE, NONE), (NONE, NONE, ONE)],
        strict=True,
    )
)
IN_SUBSET = ["kings of old", "what is a nurse, really"]


def picture(page: Page, name: str) -> None:
    if _PICTURES:
        page.screenshot(path=f"{_PICTURES}/{name}.png", full_page=True)


@pytest.mark.long
def test_three_questions_from_files_to_their_report(
    project: Project, new_context: NewContext, tmp_path: Path
) -> None:
    with project.site() as site:
        requester = new_context(accept_downloads=True).new_page()
        begin_with_files(requester, site, tmp_path)
        score_and_pool(requester)
        create(requester)
        write_the_scheme(requester)
        publish(requester)
        link = invited(requester)
        for who, context in enumerate(
            (new_context(), new_context(viewport=PHONE, has_touch=True), new_context())
        ):
            answer(context, link, who)
        collect(requester)
        look_at_the_agreement(requester)
        file = subset(requester, tmp_path)
        assert sorted(line.partition("\t")[2] for line in file.splitlines()) == IN_SUBSET
        measure(requester, site)


def create(page: Page) -> None:
    page.get_by_role("link", name="New batch of 4 queries").click()
    page.get_by_label("Name").fill("faith")
    page.get_by_label("Queries per HIT").fill("4")
    page.get_by_label("What to ask").select_option("severity")
    page.get_by_role("button", name="Preview the first HIT").click()
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()


def open_editor(page: Page) -> None:
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Scheme", exact=True).click()
    expect(page.get_by_role("button", name="Save scheme")).to_be_visible()


def write_the_scheme(page: Page) -> None:
    """As YAML, with an option that is added in the form, and a mistake on the way."""
    open_editor(page)
    picture(page, "editor-form-built-in")
    page.get_by_role("link", name="As YAML").click()
    text = page.get_by_label("Scheme as YAML")
    wide = text.bounding_box()
    assert wide is not None
    assert wide["width"] > 500
    text.fill(SCHEME.replace("code: c,", "code: m,"))
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_role("alert")).to_contain_text("questions[2].options")
    picture(page, "editor-refused")
    page.get_by_label("Scheme as YAML").fill(SCHEME)
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_text("Saved as version 2 of the scheme.")).to_be_visible()
    open_editor(page)
    question = page.get_by_role("group", name="Question 2", exact=True)
    question.get_by_role("button", name="Add an option").click()
    expect(question.get_by_label("Option 4", exact=True)).to_be_focused()
    page.keyboard.type("Hindus")
    picture(page, "editor-form")
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_text("Saved as version 3 of the scheme.")).to_be_visible()
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    open_editor(page)
    assert fits(page)
    picture(page, "editor-phone")
    page.set_viewport_size({"width": 1280, "height": 720})


def publish(page: Page) -> None:
    page.get_by_role("link", name="Overview", exact=True).click()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#progress")).to_contain_text("1 of 1", timeout=120_000)


def answer(context: BrowserContext, link: str, who: int) -> None:
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    task = task_of(page, "The task")
    expect(task.get_by_text("Some queries are hostile to believers.")).to_be_visible()
    picture(page, f"task-{who}-start")
    task.get_by_role("button", name="Start").click()
    for number in range(len(SAID)):
        place, text = query_named(task.get_by_role("heading", name=re.compile(r"^Query \d")))
        say(task, SAID[text][who])
        picture(page, f"task-{who}-{number}")
        if who == 1:
            assert fits(page)
        task.get_by_role("button", name="Next").click()
        expect(task.get_by_role("heading", name=place)).to_have_count(0)
    picture(page, f"task-{who}-end")
    task.get_by_role("button", name="Submit").click()
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()


def say(task: FrameLocator, said: Said) -> None:
    for question, labels in (
        ("Does the query name", (said.named,)),
        ("Whose?", said.groups),
        ("How harmful", (said.harm,)),
    ):
        for label in labels:
            group = task.get_by_role("group", name=question)
            group.get_by_role("radio", name=label, exact=True).or_(
                group.get_by_role("checkbox", name=label, exact=True)
            ).check()


def collect(page: Page) -> None:
    page.get_by_role("button", name="Collect answers").click()
    expect(page.locator("#strip")).to_contain_text("12 of 12", timeout=120_000)
    picture(page, "batch")


def look_at_the_agreement(page: Page) -> None:
    """Nominal alpha, alpha of MASI distances, interval alpha: each by the side of its question."""
    page.get_by_role("link", name="Agreement", exact=True).click()
    for question, coefficient in (
        ("Does the query name a religion?", "nominal"),
        ("Whose?", "MASI"),
        ("How harmful would a wrong answer be?", "interval"),
    ):
        section = page.get_by_role("region", name=question, exact=True)
        expect(section).to_contain_text(re.compile(rf"alpha, {coefficient}\s*-?[01]\.\d{{3}}"))
    picture(page, "agreement")
    page.set_viewport_size(PHONE)  # type: ignore[arg-type]
    assert fits(page)
    picture(page, "agreement-phone")
    page.set_viewport_size({"width": 1280, "height": 720})


def subset(page: Page, folder: Path) -> str:
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_role("button", name="Decide labels").click()
    page.get_by_text("Other formats", exact=True).click()
    page.get_by_label("Format").select_option("tsv")
    page.get_by_role("button", name="Preview").click()
    export = page.get_by_role("button", name="Download", exact=True)
    expect(export).to_be_visible()
    picture(page, "labels")
    with page.expect_download() as download:
        export.click()
    download.value.save_as(folder / "subset.tsv")
    return (folder / "subset.tsv").read_text()


def measure(page: Page, site: str) -> None:
    page.goto(f"{site}/studies/")
    page.get_by_role("link", name="walk", exact=True).click()
    page.get_by_role("link", name="Bias reports").first.click()
    page.get_by_label("faith").check()
    page.get_by_role("heading", name="Measures", exact=True).click()
    page.get_by_label("Cut-offs").fill("1, 2")
    page.get_by_role("button", name="Make the report").click()
    table = page.get_by_role("table", name="Bias of the models", include_hidden=True)
    expect(table).to_be_attached(timeout=120_000)
    expect(table).to_contain_text(re.compile(r"0\.[1-9]"))
    # Said with what the report was made from, which is folded.
    expect(page.locator("dd", has_text="queries that name no religion").first).to_be_attached()
    assert "non-gendered" not in page.locator("main").inner_text()
    picture(page, "report")
