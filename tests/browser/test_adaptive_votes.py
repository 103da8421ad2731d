"""Votes where they matter, on a question that is not about gender: two workers, then a round."""

import json
import re
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.browser.test_a_study import write
from tests.browser.test_corrected_figures import N_QUERIES, project
from tests.browser.test_the_whole_way import JOB
from tests.project import Project

__all__ = ["project"]

#: Six HITs for two workers each.
N_FIRST_ANSWERS = 12


@pytest.mark.long
def test_dawid_skene_labels_a_question_that_is_asked_adaptively(
    project: Project,
    new_context: NewContext,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("COLLECT_EVERY_SECONDS", "1")
    answers = {f"q{n}": "yes" if n % 3 else "no" for n in range(N_QUERIES)}
    write(tmp_path / "answers.tsv", [f"{qid}\t{answer}" for qid, answer in answers.items()])

    def work(crowd: int) -> None:
        """Other workers answer all HITs that are out; the site collects what they hand in."""
        terms = ("--truth", tmp_path / "answers.tsv", "--seed", str(crowd), "--accuracy", "0.8")
        project.run("batch", "simulate", "harm", *terms)

    page = new_context(accept_downloads=True).new_page()
    with project.site() as site:
        page.goto(f"{site}/studies/")
        page.get_by_role("link", name="few", exact=True).first.click()
        create_and_publish(page)
        work(1)
        expect(page.locator("#standing")).to_contain_text(
            f"{N_FIRST_ANSWERS} of {N_FIRST_ANSWERS} answers", timeout=JOB
        )
        n_open = publish_the_round(page)
        assert 0 < n_open < N_QUERIES
        work(2)
        expect(page.get_by_role("button", name="Decide labels")).to_be_visible(timeout=JOB)
        counts = decide(page)
        look_at_the_agreement(page)
        rows = exported(page, tmp_path)
    assert sum(counts.values()) == N_QUERIES
    decided = {code: n for code, n in counts.items() if code != "tie"}
    assert Counter(row["label"] for row in rows) == decided
    assert {row["method"] for row in rows} == {"dawid_skene"}
    n_votes = [row["n_votes"] for row in rows]
    assert min(n_votes) == 2
    assert sum(n > 2 for n in n_votes) >= n_open
    right = sum(row["label"] == answers[row["qid"]] for row in rows)
    assert right > 0.9 * N_QUERIES


def create_and_publish(page: Page) -> None:
    page.get_by_role("link", name=f"New batch of {N_QUERIES} queries").click()
    page.get_by_label("Name").fill("harm")
    page.get_by_label("What to ask").select_option("bias_sensitive")
    page.locator("summary", has_text="Quality").click()
    page.get_by_label("Ask 2 workers first").check()
    page.get_by_label("Percent of queries with three votes anyway").fill("10")
    expect(page.locator("#cost")).to_contain_text("each answered by 2 workers")
    page.get_by_role("button", name="Create the draft").click()
    expect(page.locator("main")).to_contain_text("It asks: Bias-sensitive: yes or no.")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#progress")).to_contain_text(re.compile(r"\b6 of 6\b"), timeout=JOB)


def publish_the_round(page: Page) -> int:
    """Ask for further votes; return how many queries the first ones do not settle."""
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Adaptive round").click()
    outlook = page.get_by_role("region", name="What follows")
    expect(outlook).to_contain_text("Queries that the votes do not settle")
    number = re.search(r"do not settle\s+(\d+)", outlook.inner_text())
    assert number
    page.get_by_role("button", name="Publish the round").click()
    more = re.compile(rf"{N_FIRST_ANSWERS} of (1[3-9]|[2-9]\d) answers")
    expect(page.locator("#standing")).to_contain_text(more, timeout=JOB)
    return int(number[1])


def decide(page: Page) -> dict[str, int]:
    """The labels by their method, as the page counts them."""
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_label("Method").select_option("dawid_skene")
    page.get_by_role("button", name="Decide labels").click()
    expect(page.locator("#method")).to_contain_text("Decided by Dawid-Skene")
    links = page.locator("ul.counts a").all_inner_texts()
    return {name.split()[0].casefold(): int(name.split()[-1]) for name in links}


def look_at_the_agreement(page: Page) -> None:
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator(".headline")).to_contain_text(re.compile(r"0\.\d{3}"))


def exported(page: Page, folder: Path) -> list[dict[str, Any]]:
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_text("Other formats", exact=True).click()
    page.get_by_label("Queries", exact=True).select_option("all")
    page.get_by_label("Format").select_option("jsonl")
    page.get_by_role("button", name="Preview").click()
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    download.value.save_as(folder / "labels.jsonl")
    return [json.loads(line) for line in (folder / "labels.jsonl").read_text().splitlines()]
