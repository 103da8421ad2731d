"""A real Chromium, and pictures of the pages on which a test failed."""

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import matplotlib as mpl
import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.servers import need_chromium

FLAGS = (
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
)
#: Milliseconds to wait for what a page will show, also while the machine does other things.
PATIENCE = 60_000
#: Where the pictures go; git ignores the folder.
PICTURES = Path(__file__).resolve().parent.parent.parent / "var" / "browser-failures"

NewContext = Callable[..., BrowserContext]

#: For tests of layout: with the fonts of this machine, and as on one with other fonts and scale.
two_machines = pytest.mark.parametrize("machine", ["this", "other"], indirect=True)
_OTHER_SCALE = 1.25
#: matplotlib brings these: a serif font in place of whatever pages ask for, and narrower letters.
_OTHER_FONTS = f"""<?xml version="1.0"?>
<!DOCTYPE fontconfig SYSTEM "fonts.dtd">
<fontconfig>
  <dir>{mpl.get_data_path()}/fonts/ttf</dir>
  <cachedir>{{cache}}</cachedir>
  <match target="pattern">
    <edit name="family" mode="assign" binding="strong"><string>STIXGeneral</string></edit>
  </match>
</fontconfig>
"""


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def machine(request: pytest.FixtureRequest) -> str:
    """Whose fonts and scale the browser has: `this` or `other`."""
    return getattr(request, "param", "this")


@pytest.fixture(scope="session")
def browser(machine: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Browser]:
    """The system's Chromium; without one the test is skipped."""
    env: dict[str, str | float | bool] = dict(os.environ)
    if machine == "other":
        folder = tmp_path_factory.mktemp("fonts")
        fonts = folder / "fonts.conf"
        fonts.write_text(_OTHER_FONTS.format(cache=folder))
        env["FONTCONFIG_FILE"] = str(fonts)
    # Playwright keeps an event loop in this thread, and Django refuses the database beside one.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = need_chromium(playwright, args=FLAGS, env=env)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def new_context(
    browser: Browser, machine: str, request: pytest.FixtureRequest
) -> Iterator[NewContext]:
    """Opens a browser of its own for a person: own cookies, own size, own colours."""
    contexts: list[BrowserContext] = []

    def new(**options: Any) -> BrowserContext:
        if machine == "other":
            options.setdefault("device_scale_factor", _OTHER_SCALE)
        # A transition between pages would be cut short, and say so, where a test changes a size.
        options.setdefault("reduced_motion", "reduce")
        context = browser.new_context(**options)
        context.set_default_timeout(PATIENCE)
        contexts.append(context)
        return context

    yield new
    if getattr(request.node, "failed", False):
        _keep_pictures(contexts, request.node.name)
    for context in contexts:
        context.close()


def _keep_pictures(contexts: list[BrowserContext], test: str) -> None:
    PICTURES.mkdir(parents=True, exist_ok=True)
    for person, context in enumerate(contexts):
        for tab, page in enumerate(context.pages):
            page.screenshot(path=PICTURES / f"{test}-{person}-{tab}.png", full_page=True)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(
    item: pytest.Item,
) -> Generator[None, pytest.TestReport, pytest.TestReport]:
    report = yield
    if report.when == "call" and report.failed:
        item.failed = True  # type: ignore[attr-defined] # read by the fixture above
    return report
