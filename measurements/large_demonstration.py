"""The demonstration with more in it: a draft, a batch of 3,750 queries, and votes of a lab."""

import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from playwright.sync_api import Page, expect

from tests.project import Project

_PEOPLE = ("ada", "ben", "cora", "dan", "eva", "finn", "gus", "hana", "ivo")
_CARELESS = 6
#: Milliseconds: the report is made meanwhile.
PATIENCE = 300_000


def add_batches(project: Project, folder: Path) -> None:
    """Beside the demonstration a draft, a batch of the size of a real pool, and votes of a lab."""
    queries = folder / "queries.tsv"
    queries.write_text("".join(f"q{n}\tsample query number {n}\n" for n in range(3750)))
    few = folder / "few.tsv"
    few.write_text("".join(f"d{n}\tanother query, number {n}\n" for n in range(40)))
    study = project.json("study", "list")["studies"][0]["name"]
    for name, file in (("pilot", few), ("full-pool", queries)):
        project.run("batch", "create", "--name", name, "--queries", file, "--study", study)
    votes = folder / "votes.csv"
    votes.write_text("\n".join(("query_id,query,worker,label,seconds", *_votes())) + "\n")
    project.run("label", "import-votes", votes, "--name", "lab", "--study", study)


def _votes() -> Iterator[str]:
    """Three votes on each of 90 queries by nine people, of whom one looks at none of them."""
    chance = Random(3)
    for number in range(90):
        truth = chance.choice("nnfm")
        for place in range(3):
            person = (number + place * (1 + number % 4)) % 9
            label = truth if chance.random() < 0.96 - 0.02 * person else chance.choice("nfm")
            seconds = round(4 + person * 0.6 + chance.random() * 3, 1)
            if person == _CARELESS:
                label, seconds = "m", 0.6
            yield f"v{number},lab query number {number},{_PEOPLE[person]},{label},{seconds}"


def addresses(page: Page, site: str) -> dict[str, str]:
    """Where each page is; found by following links, as people do."""
    page.goto(f"{site}/studies/")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    study = page.url
    # The demonstration leaves its report to a worker.
    expect(page.get_by_role("button", name="Cancel running work")).to_have_count(
        0, timeout=PATIENCE
    )
    page.goto(f"{site}/batches/")
    batches = {
        link.inner_text().strip(): link.get_attribute("href") or ""
        for link in page.get_by_role("rowheader").get_by_role("link").all()
    }
    full, pilot, lab, done = (
        site + batches[name] for name in ("full-pool", "pilot", "lab", "demo")
    )
    report = _first(page, f"{study}report/", r"/report/\d+/$")
    return {
        "report": report,
        "draft": pilot,
        "running": full,
        "study": study,
        "panel": f"{full}invite/",
        "workers": f"{lab}workers/",
        "agreement": f"{done}agreement/",
        "pool": _first(page, f"{site}/pools/", r"/pools/\d+/$"),
        "queries": f"{full}queries/",
        "report-form": f"{study}report/#new",
    }


def _first(page: Page, address: str, pattern: str) -> str:
    """The first address on a page that looks like that."""
    page.goto(address)
    addresses = [str(link.evaluate("one => one.href")) for link in page.get_by_role("link").all()]
    return next(linked for linked in addresses if re.search(pattern, linked))
