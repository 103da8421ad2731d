"""A bias report in a real browser: its charts by keys, its form, axe, and two widths."""

from pathlib import Path
from typing import Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import reverse
from playwright.sync_api import expect
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.browser.conftest import NewContext, two_machines
from tests.measured import measured_study, report_of, storages_in

#: Pixels of a page whose details are folded.
LONGEST_PAGE = 3000


@pytest.fixture
def address(
    live_server: LiveServer, transactional_db: None, tmp_path: Path, settings: Settings
) -> str:
    settings.STORAGES = storages_in(tmp_path / "storage")
    report = report_of(measured_study(tmp_path))
    return live_server.url + reverse("study-report", args=[report.study_id, report.pk])


@pytest.mark.long
@two_machines
def test_a_report_is_accessible_and_its_points_are_reached_by_keys(
    address: str, new_context: NewContext
) -> None:
    faults: list[str] = []
    schemes: tuple[Literal["light", "dark"], ...] = ("light", "dark")
    for scheme, width in zip(schemes, (320, 1200), strict=True):
        page = new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
        page.on("pageerror", lambda error: faults.append(str(error)))
        page.goto(address)
        assert Axe().run(page).response["violations"] == []
        assert page.locator("html").evaluate("html => html.scrollWidth") <= width
    assert faults == []
    assert page.locator("html").evaluate("html => html.scrollHeight") <= LONGEST_PAGE
    table = page.get_by_role("table", name="every model")
    expect(table).to_have_count(0)
    page.emulate_media(media="print")
    expect(table).to_be_visible()
    page.emulate_media(media="screen")
    page.get_by_role("navigation", name="Contents").get_by_role("link", name="Intervals").click()
    expect(table).to_be_visible()
    point = page.get_by_role("link", name="RaB (TF) at 2").first
    point.focus()
    expect(page.get_by_role("tooltip", include_hidden=True)).to_contain_text("n = ")
    page.keyboard.press("Enter")
    page.wait_for_url("**measure=RaB**")
    page.locator("#choose-run").select_option("LSA")
    expect(page.get_by_role("heading", name="LSA: RaB")).to_be_visible()
    page.wait_for_url("**run=LSA**")


@pytest.mark.long
def test_a_printed_study_has_what_is_folded_and_nothing_to_click(
    address: str, new_context: NewContext
) -> None:
    page = new_context().new_page()
    page.goto(address.partition("report/")[0])
    files, steps = page.locator("#files table").first, page.locator(".steps")
    expect(files).to_be_hidden()
    page.emulate_media(media="print")
    expect(files).to_be_visible()
    expect(steps.locator("> li > details > summary:visible")).to_have_count(6)
    expect(page.locator("button:visible, .button:visible, nav:visible")).to_have_count(0)
