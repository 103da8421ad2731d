"""Every page, empty and populated, light and dark, wide and narrow, at twice the size."""

import re
from pathlib import Path
from typing import Literal
from urllib.parse import urlsplit

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.test import Client
from django.urls import get_resolver, resolve
from playwright.sync_api import BrowserContext, Page
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from tests.annotation.test_permissions import PATTERNS, site_of
from tests.browser.conftest import NewContext, two_machines
from tests.measured import storages_in
from tests.site.every_page import (
    NO_PAGES,
    NOWHERE,
    empty_pages,
    full_pages,
    names_in,
    signed_in,
    strangers_pages,
)
from tests.study import stored_study

#: A large screen, a small window, a phone, and the narrowest that the guidelines ask for.
#: Colours depend on the scheme and space on the width: four of the eight pairs have each.
SCHEMES: dict[int, Literal["light", "dark"]] = {
    1920: "dark", 1000: "light", 390: "dark", 320: "light"
}  # fmt: skip
WIDTHS = tuple(SCHEMES)
#: A window of 1280 pixels at 200 % zoom has room for half as many.
ZOOMED = 640
#: In so many parts the pages with something on them are looked at, each within a test's time.
PARTS = 4

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture(autouse=True)
def _own_storage(tmp_path: Path, settings: Settings) -> None:
    settings.STORAGES = storages_in(tmp_path / "storage")


@pytest.mark.long
def test_every_named_address_is_visited_or_known_to_be_no_page(tmp_path: Path) -> None:
    known = set(names_in(get_resolver().url_patterns))
    calls = {name for name in known if name.startswith("api-")} - {"api-docs"}
    client = signed_in()
    visited = {resolve(path.partition("?")[0]).url_name for path in empty_pages()}
    for path in full_pages(client, tmp_path):
        visited |= {resolve(path.partition("?")[0]).url_name, _name_behind(client, path)}
    visited |= {resolve(path).url_name for path in strangers_pages() if path != NOWHERE}
    assert (visited | NO_PAGES) - {None} == known - calls
    assert not visited & NO_PAGES


def test_what_is_known_to_be_no_page_is_none(tmp_path: Path) -> None:
    """A button is not to be visited, a part has no head, a file is something to download."""
    site = site_of(stored_study(4))
    client = signed_in()
    for name in sorted(NO_PAGES & set(PATTERNS)):
        response = client.get(site.address(name))
        has_head = not response.streaming and b"<html" in response.content
        assert response.status_code != 200 or not has_head, name


def _name_behind(client: Client, path: str) -> str | None:
    """The name of the page that one ends on."""
    return resolve(client.get(path, follow=True).request["PATH_INFO"]).url_name


@pytest.mark.long
@two_machines
@pytest.mark.parametrize("pages", ["empty", "strangers", *range(PARTS)])
def test_every_page_is_accessible_and_fits(
    live_server: LiveServer,
    new_context: NewContext,
    machine: str,
    tmp_path: Path,
    pages: str | int,
) -> None:
    """No violation, in light and dark; nothing too wide or cut off, on a phone or at 200 %."""
    context, client = new_context(), signed_in()
    if pages == "empty":
        paths = empty_pages()
    elif pages == "strangers":
        stored_study(4)
        paths = strangers_pages()
    else:
        paths = full_pages(client, tmp_path)[int(pages) :: PARTS]
    if pages != "strangers":
        _sign_in(context, client, live_server.url)
    page = context.new_page()
    found: list[str] = []
    page.on("pageerror", lambda error: found.append(str(error)))
    # What axe looks for does not depend on fonts.
    look = problems_of if machine == "this" else misfits
    for path in paths:
        found += look(page, live_server.url + path)
    assert not found, "\n".join(found)


def _sign_in(context: BrowserContext, client: Client, site: str) -> None:
    """Give the browser the sessions of `client`."""
    host = urlsplit(site).hostname or ""
    for name, cookie in client.cookies.items():
        path = str(cookie["path"] or "/")
        context.add_cookies([{"name": name, "value": cookie.value, "domain": host, "path": path}])


def problems_of(page: Page, address: str) -> list[str]:
    """What is wrong with a page in every colour and at every size; it is loaded once."""
    return misfits(page, address) + violations(page, address)


def misfits(page: Page, address: str) -> list[str]:
    """What is too wide or cut off on a page at any size."""
    page.set_viewport_size({"width": WIDTHS[0], "height": 900})
    page.goto(address)
    found: list[str] = []
    for width in (*WIDTHS, ZOOMED):
        page.set_viewport_size({"width": width, "height": 450})
        wide = page.locator("html").evaluate("html => html.scrollWidth")
        if wide > width:
            found.append(f"{address}: {wide} pixels wide where there are {width}")
        found += [f"{address}: cut off at {width}: {one}" for one in page.evaluate(_CUT_OFF)]
    found += [f"{address}: hidden, and shown: {one}" for one in page.evaluate(_SHOWN)]
    return found


def violations(page: Page, address: str) -> list[str]:
    """What axe finds on the page that is shown, in every colour and at every size.

    axe is loaded once and answers with violations alone: all that it found right, sent for every
    size, took as long again.
    """
    rules = _rules(page, address)
    page.evaluate(Axe().axe_script)
    found: list[str] = []
    for width, scheme in SCHEMES.items():
        page.set_viewport_size({"width": width, "height": 450})
        page.emulate_media(color_scheme=scheme)
        options = {"resultTypes": ["violations"], "rules": rules}
        found += [
            f"{address} ({scheme}, {width}): {one['id']}: {one['nodes'][0]['html'][:200]}"
            for one in page.evaluate(_VIOLATIONS, options)
        ]
    return found


def _rules(page: Page, address: str) -> dict[str, object]:
    """All of them, but three that the library that draws the pages of the API breaks."""
    if not address.endswith("/docs/"):
        return {}
    page.get_by_role("button", name=re.compile("^(get|post) ", re.IGNORECASE)).first.wait_for()
    return {name: {"enabled": False} for name in ("heading-order", "nested-interactive", "region")}


_VIOLATIONS = "options => axe.run(options).then(found => found.violations)"

_SHOWN = """() => [...document.querySelectorAll("[hidden]")]
  .filter(one => one.getClientRects().length).map(one => one.outerHTML.slice(0, 120))"""

#: Elements that hide what does not fit into them; what is for screen readers alone does so on
#: purpose.
_CUT_OFF = """() => [...document.querySelectorAll("body *:not(svg, svg *, input)")].filter(one => {
  const style = getComputedStyle(one);
  return ["hidden", "clip"].includes(style.overflowX) && style.position !== "absolute"
    && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
}).map(one => one.outerHTML.slice(0, 120))"""
