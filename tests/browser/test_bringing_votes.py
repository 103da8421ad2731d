"""Votes that another program collected, from the home page to their agreement in three clicks."""

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.annotation.vote_files.exports.answers import ANSWERS
from tests.annotation.vote_files.test_formats import EXPORTS
from tests.browser.conftest import NewContext
from tests.browser.measures import fits
from tests.project import Project, new_project

PHONE = {"width": 390, "height": 844}
#: Where pictures of the pages go, where somebody wants to look at them.
_PICTURES = os.environ.get("BRING_VOTES_PICTURES", "")


@pytest.fixture
def site(tmp_path: Path) -> Iterator[str]:
    project: Project = new_project(tmp_path / "var")
    with project.site() as address:
        yield address


def picture(page: Page, name: str) -> None:
    if _PICTURES:
        page.screenshot(path=f"{_PICTURES}/{name}.png", full_page=True)


def bring(page: Page, site: str, files: list[Path], name: str) -> None:
    """From the home page to the preview: two clicks and the choice of files."""
    page.goto(site)
    picture(page, f"{name}-home")
    page.get_by_role("link", name="Import labels or votes").first.click()
    picture(page, f"{name}-files")
    assert fits(page)
    page.get_by_label("Files", exact=True).set_input_files(files)
    page.get_by_role("button", name="Preview").click()
    expect(page.get_by_role("heading", name="Preview: nothing is stored yet")).to_be_visible()
    picture(page, f"{name}-preview")
    assert fits(page)


@pytest.mark.long
def test_exports_are_agreement_in_three_clicks(site: str, new_context: NewContext) -> None:
    page = new_context().new_page()
    bring(page, site, [EXPORTS / "label_studio.json"], "light")
    page.get_by_role("button", name="Import the votes").click()
    expect(page.get_by_role("heading", name="Where people differ most")).to_be_visible()
    expect(page.get_by_text("34 votes of 3 workers on 12 queries are imported.")).to_be_visible()
    picture(page, "light-agreement")

    phone = new_context(viewport=PHONE, color_scheme="dark").new_page()
    people = [EXPORTS / "doccano" / f"{one}.jsonl" for one in ANSWERS]
    bring(phone, site, people, "dark")
    phone.get_by_role("button", name="Import the votes").click()
    expect(phone.get_by_role("heading", name="Where people differ most")).to_be_visible()
    picture(phone, "dark-agreement")


@pytest.mark.long
def test_real_votes_are_asked_about_and_agree_as_published(
    site: str, new_context: NewContext, shared_data: Path
) -> None:
    """807 items x 10 real votes, whose words are numbers: a person says what they mean."""
    page = new_context().new_page()
    bring(page, site, [shared_data / "votes" / "dog4" / "votes.csv"], "real")
    button = page.get_by_role("button", name="Import the votes")
    button.click()  # the browser asks for the categories first
    expect(page.get_by_label("3", exact=True)).to_be_focused()
    for word, category in zip("0123", ("n", "f", "m", "o"), strict=True):
        page.get_by_label(word, exact=True).select_option(category)
    button.click()
    expect(page.get_by_role("heading", name="Where people differ most")).to_be_visible()
    expect(page.get_by_text("0.519").first).to_be_visible()
    picture(page, "real-agreement")
