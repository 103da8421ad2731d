"""A study whose people grade passages, by pages alone: from files to the grades of every pair."""

import os
import re
from pathlib import Path

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from tests.browser.conftest import NewContext
from tests.browser.frame import query_at
from tests.browser.test_a_study import (
    PASSAGES,
    annotators,
    begin_with_files,
    invited,
    project,
    task_of,
    write,
)
from tests.browser.test_the_whole_way import COUNT_CLICKS, JOB
from tests.project import Project

__all__ = ["project"]

#: Where pictures of the pages go, where somebody wants to look at them.
_PICTURES = os.environ.get("PAIR_PICTURES", "")
#: What each of three people says of the passages, whatever the query: the median is the second.
GRADES = dict(zip(PASSAGES, ("333", "012", "112", "003"), strict=True))
MEDIANS = {"d0": "3", "d1": "1", "d2": "1", "d3": "0"}
N_PAIRS = 8
#: From the study's name to the report.
MOST_CLICKS = 20


def look_at(page: Page, name: str) -> None:
    """Nothing is wider than the screen, or hard to read for some; a picture is kept."""
    assert page.evaluate("document.documentElement.scrollWidth <= window.innerWidth"), name
    violations = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == [], name
    if _PICTURES:
        page.screenshot(path=f"{_PICTURES}/{name}.png", full_page=True)


@pytest.mark.long
def test_passages_from_files_to_their_grades(
    project: Project, new_context: NewContext, tmp_path: Path
) -> None:
    with project.site() as site:
        requester = new_context(accept_downloads=True).new_page()
        begin_with_files(requester, site, tmp_path)
        pool_pairs(requester)
        create_and_publish(requester)
        link = invited(requester)
        for who, context in enumerate(annotators(new_context)):
            grade(context, link, who)
        collect_and_label(requester)
        look_at_the_agreement(requester)
        decide_one(requester)
        lines = qrels(requester, tmp_path).splitlines()
    grades = [line.split() for line in lines]
    assert len(grades) == N_PAIRS
    assert [grade for _, _, docno, grade in grades if grade != MEDIANS[docno]] == ["2"]


@pytest.mark.long
def test_relevance_of_real_runs_is_judged_and_measured_in_twenty_clicks(
    project: Project, shared_data: Path, new_context: NewContext, tmp_path: Path
) -> None:
    """Two queries of TREC DL 2019 and six systems; what annotators answer is not counted."""
    real = shared_data / "msmarco_dl19"
    queries = (real / "queries.tsv").read_text(encoding="utf-8").split("\n")[:2]
    write(tmp_path / "two queries.tsv", queries)
    files = [real / "collection.tsv", tmp_path / "two queries.tsv", *(real / "runs").glob("*.run")]
    clicks: list[str] = []
    desk = new_context(accept_downloads=True)
    desk.expose_function("countClick", lambda: clicks.append("click"))
    desk.add_init_script(COUNT_CLICKS)
    page = desk.new_page()
    with project.site() as site:
        page.goto(f"{site}/studies/new/")
        page.get_by_label("Name").fill("passages")
        page.get_by_role("button", name="Begin the study").click()
        page.locator("input[type=file]").set_input_files(files)
        with page.expect_navigation(timeout=JOB):
            page.get_by_role("button", name=f"Store {len(files)} files").click()
        page.locator("#score").get_by_text("Only score").click()
        page.get_by_role("button", name="Score the collection").click()
        page.get_by_role("link", name="pool pairs of query and passage").click(timeout=JOB)
        page.get_by_label("Passages of each query").fill("5")
        page.get_by_role("button", name="Show its size").click()
        page.get_by_role("button", name="Build pool of pairs").click()
        batches = page.locator("#batches")
        expect(batches).to_contain_text("are in no batch yet", timeout=JOB)
        batches.get_by_role("link", name=re.compile(r"New batch of \d+ pairs")).click()
        page.get_by_label("Name").fill("graded")
        page.get_by_label("What to ask").select_option("relevance")
        page.get_by_label("Reward, in USD").fill("0.75")  # as reading takes time
        page.get_by_role("button", name="Create the draft").click()
        page.get_by_role("button", name="Publish").click()
        expect(page.locator("#progress")).to_contain_text(re.compile(r"(\d+) of \1\b"), timeout=JOB)
        link = invited(page)
        for context in annotators(new_context):
            grade_by_length(context, link)
        page.get_by_role("button", name="Collect answers").click()
        page.get_by_role("button", name="Decide labels").click(timeout=JOB)
        expect(page.get_by_role("link", name="Tie 0")).to_be_visible(timeout=JOB)
        page.get_by_role("link", name="a bias report").click()
        expect(page.get_by_role("checkbox", name="graded")).to_be_checked()
        page.get_by_role("button", name="Make the report").click()
        expect(page.get_by_role("heading", name="Effectiveness against bias")).to_be_visible(
            timeout=JOB
        )
        expect(page.get_by_text("nDCG at 10 (up is better)").first).to_be_visible()
    assert len(clicks) <= MOST_CLICKS


def grade_by_length(context: BrowserContext, link: str) -> None:
    """Long passages are relevant, for whoever does not read them."""
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    done = page.get_by_role("heading", name="Submitted. Thank you.")
    is_first = True
    while True:
        task = task_of(page, "The task")
        expect(done.or_(page.locator("iframe[title='The task']"))).to_be_visible()
        if done.is_visible():
            return
        if is_first:
            task.get_by_role("button", name="Start").click()
            is_first = False
        address = page.url
        expect(task.get_by_text("Passage 1 of", exact=False).first).to_be_visible()
        for _ in range(task.locator("section.item").count()):
            place = task.locator("section:visible .place").first.inner_text()
            passage = task.locator(".item:visible .passage p").inner_text()
            query_at(task, place).locator("label").nth(min(3, len(passage) // 150)).click()
            expect(query_at(task, place)).to_have_count(0)
        task.get_by_role("button", name="Submit").click()
        expect(page).not_to_have_url(address)


def pool_pairs(page: Page) -> None:
    page.locator("#pool summary").first.click()
    page.locator("#pool").get_by_role("link", name="pool pairs of query and passage").click()
    page.get_by_role("button", name="Show its size").click()
    look_at(page, "pool-pairs")
    page.get_by_role("button", name="Build pool of pairs").click()
    batches = page.locator("#batches")
    expect(batches).to_contain_text("8 pooled pairs are in no batch yet.", timeout=120_000)
    batches.locator("summary").first.click()
    batches.get_by_role("link", name="New batch of 8 pairs").click()


def create_and_publish(page: Page) -> None:
    page.get_by_label("Name").fill("graded")
    page.get_by_label("Pairs per HIT").fill("4")
    page.get_by_label("What to ask").select_option("gender")
    page.get_by_role("button", name="Preview the first HIT").click()
    expect(page.locator("main")).to_contain_text("Choose passage_gender or relevance")
    page.get_by_label("What to ask").select_option("relevance")
    page.get_by_role("button", name="Preview the first HIT").click()
    first = task_of(page, "The first HIT")
    expect(first.get_by_role("heading", level=1)).to_have_text(
        "How well does the passage answer the query?"
    )
    first.get_by_role("button", name="Start").click()
    expect(first.locator(".item:visible .passage p")).not_to_be_empty()
    first.get_by_role("button", name="Mark the query’s words").click()
    look_at(page, "preview")
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#progress")).to_contain_text("2 of 2", timeout=120_000)


def grade(context: BrowserContext, link: str, who: int) -> None:
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    for hit in range(2):
        task = task_of(page, "The task")
        if hit == 0:
            task.get_by_role("button", name="Start").click()
        for number in range(1, 5):
            place = f"Passage {number} of 4"
            expect(task.get_by_text(place, exact=True)).to_be_visible()
            passage = task.locator(".item:visible .passage p").inner_text()
            look_at(page, f"task-{who}-{hit}-{number}")
            code = GRADES[passage][who]
            if who == 0:
                page.keyboard.press(code)
            else:
                query_at(task, place).locator("label").nth(int(code)).click()
            expect(query_at(task, place)).to_have_count(0)
        look_at(page, f"task-{who}-{hit}-end")
        task.get_by_role("button", name="Submit").click()
        if hit == 0:
            expect(page).to_have_url(re.compile(r"/assignments/\w+/\?submitted"))
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()


def collect_and_label(page: Page) -> None:
    page.get_by_role("button", name="Collect answers").click()
    expect(page.locator("#strip")).to_contain_text("24 of 24", timeout=120_000)
    page.get_by_role("button", name="Decide labels").click()
    expect(page.get_by_role("link", name="Tie 0")).to_be_visible()


def look_at_the_agreement(page: Page) -> None:
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator("main")).to_contain_text(re.compile(r"alpha, ordinal\s*-?[01]\.\d{3}"))
    look_at(page, "agreement")


def decide_one(page: Page) -> None:
    """A pair is found by the words of its passage, read, and decided by a person."""
    page.get_by_role("link", name="Answers", exact=True).click()
    page.get_by_role("link", name="Pairs", exact=True).click()
    page.get_by_label("Text or id").fill("bread and butter")
    expect(page.get_by_text("2 of 8 pairs")).to_be_visible()
    page.get_by_role("row").locator("summary", has_text="d1").first.click()
    expect(page.get_by_text("bread and butter", exact=True).first).to_be_visible()
    look_at(page, "queries")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_text("bread and butter", exact=True)).to_be_visible()
    look_at(page, "query")
    page.get_by_role("link", name="Decide it yourself").click()
    expect(page.get_by_text("bread and butter", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 640})
    look_at(page, "adjudication-phone")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("radio", name="Relevant", exact=False).nth(1).check()
    page.get_by_role("textbox", name="Why").fill("Butter is asked for, too.")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("region", name="Decisions")).to_contain_text("Butter is asked for")
    look_at(page, "adjudication")


def qrels(page: Page, folder: Path) -> str:
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_label("Format").select_option("qrels-adjudicated")
    page.get_by_role("button", name="Preview").click()
    look_at(page, "labels")
    with page.expect_download() as download:
        page.get_by_role("link", name=re.compile("Download 8 pairs")).click()
    download.value.save_as(folder / "graded.qrels")
    return (folder / "graded.qrels").read_text()
