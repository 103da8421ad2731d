"""What Chromium itself measures of a page: times, shifts, weights, accessibility, its own advice.

Scores are those of Lighthouse 12 on a desktop: log-normal curves through the same points and with
the same weights, without the index of speed, which needs a film of the page.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any
from urllib.parse import urlsplit

from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import Browser, ConsoleMessage, Page, Request

#: Milliseconds after loading in which pages ask for parts of themselves.
SETTLED = 1_500
#: By measure: its weight, where it scores 90, and where 50.
_CURVES: Mapping[str, tuple[int, float, float]] = {
    "first_paint": (10, 934, 1_600),
    "largest_paint": (25, 1_200, 2_400),
    "blocked": (30, 150, 350),
    "shift": (25, 0.1, 0.25),
}
#: The argument at which the complementary error function is a fifth.
_ERFC_FIFTH = 0.9061938024368232


@dataclass(frozen=True)
class Measured:
    """One page, loaded once by a browser that has nothing of it.

    Times are in milliseconds since the navigation began, weights in bytes as they run; `again` is
    the first content when the browser, which has the page's files by then, opens it once more;
    `processor` is what the page's process worked until it was loaded, in milliseconds, which other
    work on the machine changes less; `shift` is the sum of all layout shifts. `violations`,
    `errors`, `issues` and `faults` are what axe, the console, Chromium's own audits, and the list
    of good practices complain of.
    """

    first_paint: float
    again: float
    largest_paint: float
    blocked: float
    processor: float
    shift: float
    script: int
    style_sheets: int
    violations: Sequence[str]
    errors: Sequence[str]
    issues: Sequence[str]
    faults: Sequence[str]

    @property
    def performance(self) -> float:
        """From 0 to 100."""
        whole = sum(weight for weight, _, _ in _CURVES.values())
        return sum(
            weight * _score(getattr(self, name), good, median)
            for name, (weight, good, median) in _CURVES.items()
        ) * (100 / whole)

    @property
    def practices(self) -> float:
        """From 0 to 100: how many of the checks hold."""
        wrong = len(self.faults) + bool(self.errors) + bool(self.issues)
        return 100 * (1 - wrong / (len(_PRACTICES) + 3))


def fits(page: Page) -> bool:
    """Return whether nothing is wider than the window, also of a page that is just coming."""
    return bool(page.locator("html").evaluate("html => html.scrollWidth <= window.innerWidth"))


def measure(browser: Browser, address: str, *, width: int = 1280, **options: Any) -> Measured:
    """Load the page as somebody who comes for the first time; `options` are of the context."""
    options = {"viewport": {"width": width, "height": 900}, "reduced_motion": "reduce"} | options
    context = browser.new_context(**options)
    try:
        page = context.new_page()
        errors: list[str] = []
        issues: list[str] = []
        foreign: list[str] = []

        def hear(said: ConsoleMessage) -> None:
            if said.type == "error":
                errors.append(said.text)

        def ask(asked: Request) -> None:
            if _is_foreign(asked.url, address):
                foreign.append(asked.url)

        page.on("pageerror", lambda error: errors.append(str(error)))
        page.on("console", hear)
        page.on("request", ask)
        session = context.new_cdp_session(page)
        session.on("Audits.issueAdded", lambda event: issues.append(event["issue"]["code"]))
        session.send("Audits.enable")
        session.send("Performance.enable")
        page.add_init_script(_WATCH)
        page.goto(address, wait_until="load")
        worked = {
            one["name"]: one["value"] for one in session.send("Performance.getMetrics")["metrics"]
        }
        page.wait_for_timeout(SETTLED)
        found: dict[str, Any] = page.evaluate(_READ)
        violations = [
            f"{one['id']}: {one['nodes'][0]['html'][:160]}"
            for one in Axe().run(page).response["violations"]
        ]
        faults = [name for name, wrong in page.evaluate(_ALL_PRACTICES).items() if wrong]
        faults += ["asks other sites"] if foreign else []
        # From a place on the same page to that place nothing would be loaded.
        page.goto(address.partition("#")[0], wait_until="load")
        page.wait_for_timeout(SETTLED)
        again = page.evaluate(_READ)["first_paint"]
        return Measured(
            **found,
            again=again,
            processor=worked["ProcessTime"] * 1_000,
            violations=violations,
            errors=errors,
            issues=issues,
            faults=faults,
        )
    finally:
        context.close()


def _is_foreign(asked: str, address: str) -> bool:
    parts = urlsplit(asked)
    return parts.scheme.startswith("http") and parts.netloc != urlsplit(address).netloc


def _score(value: float, good: float, median: float) -> float:
    """1 for none, 0.9 at `good`, 0.5 at `median`."""
    if value <= 0:
        return 1.0
    steep = _ERFC_FIFTH / -math.log(good / median)
    return (1 - math.erf(math.log(value / median) * steep)) / 2


_WATCH = """
window.seen = { shift: 0, blocked: 0, largest: 0 };
const watch = (type, take) => new PerformanceObserver(
  (list) => list.getEntries().forEach(take)).observe({ type, buffered: true });
watch("layout-shift", (one) => { window.seen.shift += one.value; });
watch("longtask", (one) => { window.seen.blocked += Math.max(0, one.duration - 50); });
watch("largest-contentful-paint", (one) => { window.seen.largest = one.startTime; });
"""

_READ = """() => {
  const files = performance.getEntriesByType("resource");
  const paint = performance.getEntriesByName("first-contentful-paint")[0];
  return {
    first_paint: paint ? paint.startTime : 0,
    largest_paint: window.seen.largest,
    blocked: window.seen.blocked,
    shift: window.seen.shift,
    script: files.filter((one) => one.initiatorType === "script")
      .reduce((sum, one) => sum + one.decodedBodySize, 0),
    style_sheets: document.querySelectorAll("link[rel=stylesheet], style").length,
  };
}"""

#: Good practices that Lighthouse asks for, each as an expression that is true where one is broken.
_PRACTICES = {
    "no doctype": "document.compatMode !== 'CSS1Compat'",
    "no charset": "!document.querySelector('meta[charset=utf-8]')",
    "no viewport": "!document.querySelector('meta[name=viewport][content*=device-width]')",
    "no title": "!document.title",
    "no language": "!document.documentElement.lang",
    "zoom is forbidden": "/user-scalable=no|maximum-scale/.test("
    "document.querySelector('meta[name=viewport]')?.content)",
    "a picture without a size": "[...document.images].some("
    "(one) => !one.getAttribute('width') || !one.getAttribute('height'))",
    "a picture out of proportion": "[...document.images].some((one) => one.naturalWidth && "
    "Math.abs(one.width / one.height - one.naturalWidth / one.naturalHeight) > 0.05)",
    "a link that opens a window it can be reached from": "[...document.links].some("
    "(one) => one.target === '_blank' && !/noopener|noreferrer/.test(one.rel))",
    "a password cannot be pasted": "[...document.querySelectorAll('input[type=password]')].some("
    "(one) => !one.dispatchEvent(new ClipboardEvent('paste', { cancelable: true })))",
    "inline script": "!!document.querySelector('script:not([src]):not([type*=json])')",
    "inline handlers": "[...document.querySelectorAll('*')].some((one) => "
    "[...one.attributes].some(({ name }) => /^on/.test(name)))",
}
_ALL_PRACTICES = (
    "() => ({" + ", ".join(f"{name!r}: {check}" for name, check in _PRACTICES.items()) + "})"
)
