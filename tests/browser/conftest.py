"""A real Chromium, and pictures of the pages on which a test failed."""

import os
from collections.abc import Callable, Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright

from tests.servers import need_program

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


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.browser)


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    """The system's Chromium; without one the test is skipped."""
    path = need_program("chromium", "chromium-browser")
    # Playwright keeps an event loop in this thread, and Django refuses the database beside one.
    os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"] = "true"
    expect.set_options(timeout=PATIENCE)
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=path, args=FLAGS)
        yield browser
        browser.close()
    del os.environ["DJANGO_ALLOW_ASYNC_UNSAFE"]


@pytest.fixture
def new_context(browser: Browser, request: pytest.FixtureRequest) -> Iterator[NewContext]:
    """Opens a browser of its own for a person: own cookies, own size, own colours."""
    contexts: list[BrowserContext] = []

    def new(**options: Any) -> BrowserContext:
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
