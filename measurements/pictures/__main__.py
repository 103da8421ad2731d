"""`make pictures`: the pictures of the pages in the README and in docs/, made anew.

The demonstration is run in a folder of its own, and the site that shows it is photographed with
the system's Chromium. Its seed is fixed: a picture changes where a page does, or a date on it.
"""

import io
import tempfile
from pathlib import Path

from PIL import Image
from playwright.sync_api import Page, ViewportSize, expect, sync_playwright

from tests.browser.conftest import FLAGS
from tests.project import ROOT, new_project
from tests.servers import need_chromium

FOLDER = ROOT / "docs" / "images"
SIZE: ViewportSize = {"width": 1100, "height": 760}
#: Enough for flat pages, and a quarter of the bytes.
COLOURS = 128
#: Milliseconds: the report is made while the pictures are taken.
PATIENCE = 300_000


def main() -> None:
    with tempfile.TemporaryDirectory(prefix="pictures-") as folder:
        project = new_project(Path(folder) / "var")
        project.run("demo", "--output", Path(folder) / "output")
        with project.site() as site:
            take_all(site)


def take_all(site: str) -> None:
    with sync_playwright() as playwright:
        chromium = need_chromium(playwright, args=FLAGS)
        context = chromium.new_context(viewport=SIZE, color_scheme="light")
        context.set_default_timeout(PATIENCE)
        expect.set_options(timeout=PATIENCE)
        _take(context.new_page(), site)
        chromium.close()


def _take(page: Page, site: str) -> None:
    page.goto(f"{site}/studies/")
    _open_first(page)
    study = page.url
    # The demonstration leaves its report to a worker.
    expect(page.get_by_role("button", name="Cancel running work")).to_have_count(0)
    _keep(page, "web-study")
    page.get_by_role("link", name="agreement", exact=True).first.click()
    _keep(page, "web-agreement")
    page.get_by_role("link", name="Answers", exact=True).click()
    # The page before it has rows with links, too.
    page.wait_for_url("**/queries/")
    _open_first(page)
    _keep(page, "web-query", "#documents")
    page.goto(f"{site}/pools/")
    page.get_by_role("rowheader").get_by_role("link", name="demo", exact=True).click()
    _keep(page, "web-pool")
    page.get_by_role("link", name="New batch").click()
    # The batch of the demonstration has all of them.
    page.get_by_label("Also ask for queries that an earlier batch has").check()
    expect(page.locator("#cost")).to_contain_text("Hourly pay")
    _keep(page, "web-new-batch")
    page.goto(f"{study}report/")
    page.get_by_role("list", name="Bias reports").get_by_role("link").first.click()
    expect(page.get_by_role("heading", name="Findings")).to_be_visible()
    _keep(page, "web-report", "#findings")


def _open_first(page: Page) -> None:
    """Open the page that the first row of a table leads to; links in its head order it."""
    page.get_by_role("rowheader").get_by_role("link").first.click()


def _keep(page: Page, name: str, anchor: str = "") -> None:
    """Keep a picture of the window, from `anchor` on."""
    if anchor:
        page.locator(anchor).first.evaluate("one => one.scrollIntoView()")
    taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
    taken.quantize(COLOURS, Image.Quantize.FASTOCTREE).save(FOLDER / f"{name}.png", optimize=True)


if __name__ == "__main__":
    main()
