"""`python -m measurements.pages_measured [ROUNDS]`: a table of ten pages as Chromium sees them.

The demonstration is run in a folder of its own, with a draft and a batch of 3,750 queries, and
each page is loaded ROUNDS times (5) by a browser that has nothing of it yet. Times are medians.
"""

import statistics
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from measurements.large_demonstration import PATIENCE, add_batches, addresses
from tests.browser.conftest import FLAGS
from tests.browser.measures import Measured, measure
from tests.project import new_project
from tests.servers import need_chromium

PAGES = (
    *("study", "draft", "running", "panel", "workers"),
    *("agreement", "queries", "pool", "report", "report-form"),
)
_HEADS = (
    *(
        "first content, ms",
        "again, ms",
        "largest, ms",
        "blocked, ms",
        "processor, ms",
        "layout shift",
        "script, kB",
    ),
    *("axe", "errors", "performance", "accessibility", "practices"),
)
_ROUNDS = 5


def table(rounds_of: dict[str, Sequence[Measured]]) -> Iterator[str]:
    """Rows in Markdown: of times the median, of all else the worst."""
    yield f"| page | {' | '.join(_HEADS)} |"
    yield "|---|" + "---:|" * len(_HEADS)
    for name, rounds in rounds_of.items():
        times = (
            statistics.median(getattr(visit, what) for visit in rounds)
            for what in ("first_paint", "again", "largest_paint", "blocked", "processor")
        )
        worst = max(
            rounds, key=lambda visit: (len(visit.violations), len(visit.errors), visit.shift)
        )
        performance = statistics.median(visit.performance for visit in rounds)
        practices = min(visit.practices for visit in rounds)
        cells = [
            *(f"{time:.0f}" for time in times),
            f"{max(visit.shift for visit in rounds):.3f}",
            f"{worst.script / 1_000:.0f}",
            f"{len(worst.violations)}",
            f"{len(worst.errors) + len(worst.issues)}",
            f"{performance:.0f}",
            f"{100 if not worst.violations else 0}",
            f"{practices:.0f}",
        ]
        yield f"| {name} | {' | '.join(cells)} |"


def measured(browser: Browser, site: str, rounds: int) -> dict[str, Sequence[Measured]]:
    """Each of the pages by name, so many times."""
    page = browser.new_page()
    page.set_default_timeout(PATIENCE)
    places = addresses(page, site)
    page.close()
    for name in PAGES:  # The first one of a page loads its template.
        measure(browser, places[name])
    return {name: [measure(browser, places[name]) for _ in range(rounds)] for name in PAGES}


def main() -> None:
    rounds = int(sys.argv[1]) if len(sys.argv) > 1 else _ROUNDS
    with tempfile.TemporaryDirectory(prefix="measured-") as folder:
        project = new_project(Path(folder) / "var")
        project.run("demo", "--output", Path(folder) / "output")
        add_batches(project, Path(folder))
        with project.site() as site, sync_playwright() as playwright:
            project.run("batch", "publish", "full-pool", "--yes")
            browser = need_chromium(playwright, args=FLAGS)
            rounds_of = measured(browser, site, rounds)
            browser.close()
    sys.stdout.write("\n".join(table(rounds_of)) + "\n")
    for name, all_rounds in rounds_of.items():
        wrong = {fault for each in all_rounds for fault in (*each.violations, *each.errors)}
        wrong |= {fault for each in all_rounds for fault in (*each.issues, *each.faults)}
        for fault in sorted(wrong):
            sys.stderr.write(f"{name}: {fault}\n")


if __name__ == "__main__":
    main()
