"""Fifteen pages, each as a window, a phone and 320 px, as docs/pages.md shows them.

One picture a page: 1280 pixels wide and light, 390 dark, 320 light, side by side at 60 %. What is
photographed is the demonstration with a draft, and a batch of 3,750 queries that is out.
"""

import io
import re
from collections.abc import Iterator
from pathlib import Path
from random import Random

from PIL import Image
from playwright.sync_api import Browser, Page, expect

from tests.project import Project

#: Width, height, scheme.
WINDOWS = ((1280, 900, "light"), (390, 844, "dark"), (320, 844, "light"))
SCALE, GAP, COLOURS = 0.6, 12, 128
_PEOPLE = ("ada", "ben", "cora", "dan", "eva", "finn", "gus", "hana", "ivo")
_CARELESS = 6
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
    """Where each of the fifteen is; found by following links, as people do."""
    page.goto(f"{site}/studies/")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    study = page.url
    # The demonstration leaves its report to a worker.
    expect(page.get_by_role("button", name="Cancel what runs")).to_have_count(0, timeout=PATIENCE)
    page.goto(f"{site}/batches/")
    batches = {
        link.inner_text().strip(): link.get_attribute("href") or ""
        for link in page.get_by_role("rowheader").get_by_role("link").all()
    }
    full, pilot, lab, done = (site + batches[one] for one in ("full-pool", "pilot", "lab", "demo"))
    worker = _first(page, f"{lab}workers/", r"/workers/\d+/$")
    report = _first(page, f"{study}report/", r"/report/\d+/$")
    number = report.rstrip("/").rpartition("/")[2]
    return {
        "report": report,
        "upload": f"{study}#files",
        "draft": pilot,
        "running": full,
        "study": study,
        "panel": f"{full}invite/",
        "worker": worker,
        "workers": f"{lab}workers/",
        "agreement": f"{done}agreement/",
        "report-values": f"{report}#values",
        "pool": _first(page, f"{site}/pools/", r"/pools/\d+/$"),
        "queries": f"{full}queries/",
        "comparison": f"{study}report/compare/?left={number}&right={number}",
        "preview": f"{pilot}try/",
        "report-form": f"{study}report/#new",
    }


def _first(page: Page, address: str, pattern: str) -> str:
    """The first address on a page that looks like that."""
    page.goto(address)
    found = [str(link.evaluate("one => one.href")) for link in page.get_by_role("link").all()]
    return next(one for one in found if re.search(pattern, one))


def sheet(chromium: Browser, address: str) -> Image.Image:
    """The page in every window, side by side."""
    pictures = []
    for width, height, scheme in WINDOWS:
        context = chromium.new_context(
            viewport={"width": width, "height": height}, color_scheme=scheme  # type: ignore[arg-type]
        )  # fmt: skip
        context.set_default_timeout(PATIENCE)
        page = context.new_page()
        page.goto(address)
        page.wait_for_timeout(400)  # what a page asks for by itself
        taken = Image.open(io.BytesIO(page.screenshot(animations="disabled"))).convert("RGB")
        size = round(width * SCALE), round(height * SCALE)
        pictures.append(taken.resize(size, Image.Resampling.LANCZOS))
        context.close()
    wide = sum(one.width + GAP for one in pictures) - GAP
    whole = Image.new("RGB", (wide, max(one.height for one in pictures)), "#8a9199")
    left = 0
    for one in pictures:
        whole.paste(one, (left, 0))
        left += one.width + GAP
    # Others merge the few pixels of a mark into a larger colour.
    return whole.quantize(COLOURS, Image.Quantize.FASTOCTREE)


def take(chromium: Browser, site: str, target: Path) -> None:
    """Keep the pictures in the folder `target`."""
    target.mkdir(parents=True, exist_ok=True)
    page = chromium.new_context().new_page()
    page.set_default_timeout(PATIENCE)
    for name, address in addresses(page, site).items():
        sheet(chromium, address).save(target / f"{name}.png", optimize=True)
