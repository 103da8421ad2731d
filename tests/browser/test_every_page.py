"""Every page of the requester, empty and populated, light and dark, wide and narrow."""

from collections.abc import Iterator
from typing import Any, Literal

import pytest
from axe_playwright_python.sync_playwright import Axe
from django.urls import URLPattern, URLResolver, get_resolver, reverse
from playwright.sync_api import Page
from pytest_django.live_server_helper import LiveServer

from annotation.models import Batch
from tests.browser.conftest import NewContext
from tests.integration.study import (
    NO_PAGES,
    addresses,
    addresses_of_acts,
    stored_batch,
    stored_pool,
    stored_study,
)

WIDE, NARROW = 1200, 320
#: A window of 1280 pixels at 200 % zoom has room for half as many.
ZOOMED = 640


def names(patterns: list[Any]) -> Iterator[str]:
    for pattern in patterns:
        if isinstance(pattern, URLResolver):
            yield from names(pattern.url_patterns)
        elif isinstance(pattern, URLPattern) and pattern.name:
            yield pattern.name


@pytest.mark.django_db
def test_every_named_address_is_visited_or_known_to_be_no_page() -> None:
    known = set(names(get_resolver("annotation.urls").url_patterns))
    visited = set(addresses(stored_study(8)))
    assert visited | NO_PAGES == known
    assert not visited & NO_PAGES


def problems_of(page: Page, address: str, width: int) -> list[str]:
    """What axe and the eye of a narrow screen find."""
    page.goto(address)
    if "/hit/" in address:
        # The page of a HIT may run no script here, not even axe's; it has tests of its own.
        return []
    found = [
        f"{address}: {violation['id']}: {violation['nodes'][0]['html'][:200]}"
        for violation in Axe().run(page).response["violations"]
    ]
    wide = page.evaluate("document.documentElement.scrollWidth")
    return found if wide <= width else [*found, f"{address}: {wide} pixels wide"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("width", [WIDE, NARROW])
def test_every_page_is_accessible_and_fits(
    live_server: LiveServer,
    transactional_db: None,
    new_context: NewContext,
    scheme: Literal["light", "dark"],
    width: int,
) -> None:
    page = new_context(viewport={"width": width, "height": 900}, color_scheme=scheme).new_page()
    faults: list[str] = []
    page.on("pageerror", lambda error: faults.append(str(error)))
    empty = [reverse(name) for name in ("batch-list", "pool-list", "batch-new")]
    found = [one for path in empty for one in problems_of(page, live_server.url + path, width)]
    batch = stored_study(8)
    new = stored_batch(stored_pool(4, "new"), "new")
    for path in [*addresses(batch).values(), *addresses_of_acts(batch), *_without_votes(new)]:
        found += problems_of(page, live_server.url + path, width)
    assert found == []
    assert faults == []


def test_nothing_is_cut_off_at_twice_the_size(
    live_server: LiveServer, transactional_db: None, new_context: NewContext
) -> None:
    """At 200 % no page scrolls sideways, and no text is hidden behind the edge of its box."""
    viewport = {"width": ZOOMED, "height": 450}
    page = new_context(viewport=viewport, device_scale_factor=2).new_page()
    batch = stored_study(8)
    found: list[str] = []
    for path in [*addresses(batch).values(), *addresses_of_acts(batch)]:
        page.goto(live_server.url + path)
        if page.evaluate("document.documentElement.scrollWidth") > ZOOMED:
            found.append(f"{path}: scrolls sideways")
        found += [f"{path}: {one}" for one in page.evaluate(_CUT_OFF)]
    assert found == []


#: Elements that hide what does not fit into them; what is for screen readers alone does so on
#: purpose.
_CUT_OFF = """() => [...document.querySelectorAll("body *:not(svg, svg *)")].filter(one => {
  const style = getComputedStyle(one);
  return ["hidden", "clip"].includes(style.overflowX) && style.position !== "absolute"
    && (one.scrollWidth > one.clientWidth + 1 || one.scrollHeight > one.clientHeight + 1);
}).map(one => one.outerHTML.slice(0, 120))"""


def _without_votes(batch: Batch) -> list[str]:
    """The pages that look different before there are votes."""
    pages = (
        *("batch-detail", "batch-agreement", "batch-workers", "batch-costs"),
        *("batch-adjudication", "batch-labels"),
    )
    return [reverse(name, args=[batch.pk]) for name in pages]
