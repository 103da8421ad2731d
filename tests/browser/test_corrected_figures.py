"""From a study with a pool to corrected figures, by a requester who never types a command."""

import csv
import json
import random
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.language_models.double import ModelDouble, serving
from tests.any_batch import SHOPS
from tests.browser.conftest import NewContext
from tests.browser.test_a_study import PHONE, write
from tests.browser.test_the_whole_way import COUNT_CLICKS, JOB
from tests.project import Project, new_project

#: What annotators do is apart.
MOST_CLICKS = 12
N_QUERIES, N_DRAWN = 60, 30
_PASSAGES = ("she is a queen", "bread and butter", "he is a king", "a nurse, he said to her")


@pytest.fixture
def double() -> ModelDouble:
    """A server of a model that is right four times in five."""
    return ModelDouble()


@pytest.fixture
def address(double: ModelDouble, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Its address, which the site lists; the site collects answers by itself, and soon."""
    with serving(double) as served:
        monkeypatch.setenv("FAIRPOOL_MODEL_KEYS", json.dumps({served: ""}))
        monkeypatch.setenv("COLLECT_EVERY_SECONDS", "1")
        yield served


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A study with a pool of 60 queries, a third of them female by a word that the model knows."""
    numbers, chance = range(N_QUERIES), random.Random(3)
    truth = {number: "nnf"[number % 3] for number in numbers}
    words = {"n": "query", "f": "queen"}
    write(tmp_path / "c.tsv", [f"d{n}\t{text}" for n, text in enumerate(_PASSAGES)])
    write(tmp_path / "q.tsv", [f"q{n}\t{words[label]} number {n}" for n, label in truth.items()])
    write(tmp_path / "truth.tsv", [f"q{n}\t{label}" for n, label in truth.items()])
    for run in "AB":
        first = {number: chance.randrange(4) for number in numbers}
        ranks = [(number, rank) for number in numbers for rank in range(3)]
        lines = [f"q{q} Q0 d{(first[q] + r) % 4} {r + 1} {9 - r} {run}" for q, r in ranks]
        write(tmp_path / f"{run}.run", lines)
    made = new_project(tmp_path / "var")
    files = [tmp_path / name for name in ("c.tsv", "q.tsv", "A.run", "B.run")]
    made.run("study", "create", "few")
    made.run("study", "add-files", "few", *files)
    made.run("study", "pool", "few", "--name", "all")
    return made


@pytest.mark.long
def test_corrected_figures_take_twelve_clicks(
    project: Project,
    address: str,
    double: ModelDouble,
    new_context: NewContext,
    tmp_path: Path,
) -> None:
    clicks: list[str] = []
    desk = new_context(accept_downloads=True)
    desk.expose_function("countClick", lambda: clicks.append("click"))
    desk.add_init_script(COUNT_CLICKS)
    page = desk.new_page()
    with project.site() as site:
        page.goto(f"{site}/studies/")
        page.get_by_role("link", name="few", exact=True).first.click()
        clicks.clear()
        draw_and_publish(page)
        ask_the_model(page, address)
        assert set(double.calls.values()) == {1}
        assert len(double.calls) == N_QUERIES
        project.run("batch", "simulate", "asked", "--truth", tmp_path / "truth.tsv", "--seed", "1")
        page.get_by_role("button", name="Decide labels").click(timeout=JOB)
        expect(page.get_by_role("heading", name="Export")).to_be_visible(timeout=JOB)
        page.get_by_role("link", name="Corrected figures").click(timeout=JOB)
        table = page.get_by_role("region", name="Corrected figures").get_by_role("table")
        expect(table.get_by_role("row")).to_have_count(1 + 4 + 2 + 1)
        assert len(clicks) <= MOST_CLICKS
        with page.expect_download() as download:
            page.get_by_role("button", name="CSV", exact=True).click()
        download.value.save_as(tmp_path / "figures.csv")
        look_at_it(page, new_context, tmp_path)
    with (tmp_path / "figures.csv").open() as file:
        rows = list(csv.DictReader(file))
    assert [int(row["n"]) for row in rows] == [N_DRAWN] * 7
    share = rows[0]
    assert float(share["corrected_low"]) < 2 / 3 < float(share["corrected_high"])
    printed = project.run("batch", "figures", "asked", "--format", "csv").stdout
    assert printed.strip() == (tmp_path / "figures.csv").read_text().strip()


def draw_and_publish(page: Page) -> None:
    page.get_by_role("link", name="Pools", exact=True).click()
    page.get_by_role("link", name="all", exact=True).first.click()
    page.locator("summary", has_text="Draw a sample").click()
    page.get_by_label("Queries to draw").fill(str(N_DRAWN))
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_role("link", name="New batch from it").click()
    page.get_by_label("Name").fill("asked")
    page.get_by_role("button", name="Create the draft").click()
    publish = page.get_by_role("button", name="Publish")
    expect(publish).to_be_visible()
    reason = page.get_by_label("Reason for paying less")
    if reason.count():
        reason.fill("A rehearsal.")
    publish.click()
    expect(page.locator("#progress")).to_contain_text("3 of 3", timeout=JOB)


def ask_the_model(
    page: Page, address: str, question: str = "Does the query mention a gender?"
) -> None:
    """The cost and the prompt are shown first; then every query of the pool is asked."""
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Ask a model").click()
    expect(page.get_by_label("Address of the model's server")).to_have_value(address)
    page.get_by_label("Model", exact=True).fill("double")
    page.get_by_label("Model", exact=True).press("Enter")
    outlook = page.get_by_role("region", name="What follows")
    expect(outlook).to_contain_text(f"{address}, this machine")
    expect(outlook).to_contain_text(question)
    page.get_by_role("button", name="Ask the model").click()
    expect(page.locator("#progress")).to_contain_text(
        f"double labelled {N_QUERIES} queries", timeout=JOB
    )


def look_at_it(page: Page, new_context: NewContext, folder: Path) -> None:
    """Nothing is wider than a phone; what is wide scrolls in its frame."""
    page.screenshot(path=folder / "desktop.png", full_page=True)
    phone = new_context(viewport=PHONE, has_touch=True, is_mobile=True).new_page()
    phone.goto(page.url)
    expect(phone.get_by_role("heading", name="How many more labels?")).to_be_visible()
    phone.screenshot(path=folder / "phone.png", full_page=True)
    assert phone.locator("html").evaluate("html => html.scrollWidth") <= PHONE["width"]


@pytest.mark.long
def test_a_model_answers_a_question_that_is_not_about_gender(
    project: Project,
    address: str,
    double: ModelDouble,
    new_context: NewContext,
    tmp_path: Path,
) -> None:
    double.rule = lambda text, _draw: "yes" if "queen" in text else "no"
    (tmp_path / "shops.yaml").write_text(SHOPS)
    project.run("study", "draw-sample", "few", "--pool", "all", "--size", str(N_DRAWN))
    terms = ("--pool", "all sample", "--study", "few", "--scheme", tmp_path / "shops.yaml")
    project.run("batch", "create", "--name", "asked", *terms, "--assignments", "3")
    page = new_context().new_page()
    with project.site() as site:
        project.run("batch", "publish", "asked", "--yes")
        page.goto(f"{site}/studies/")
        page.get_by_role("link", name="few", exact=True).first.click()
        page.get_by_role("link", name="asked", exact=True).first.click()
        ask_the_model(page, address, "Does somebody want to buy something?")
        project.run("batch", "simulate", "asked", "--seed", "1")
        page.get_by_role("button", name="Decide labels").click(timeout=JOB)
        expect(page.get_by_role("heading", name="Export")).to_be_visible(timeout=JOB)
        page.get_by_role("link", name="Corrected figures").click(timeout=JOB)
        table = page.get_by_role("region", name="Corrected figures").get_by_role("table")
        expect(table.get_by_role("row")).to_have_count(1 + 3 + 2 + 1)
        expect(table).to_contain_text("Mean bias of A, yes")
        page.get_by_label("Mean bias over").select_option("Maybe")
        page.get_by_role("button", name="Show").click()
        expect(table).to_contain_text("Mean bias of A, maybe")
        look_at_it(page, new_context, tmp_path)
        page.get_by_role("link", name="few", exact=True).first.click()
        page.get_by_role("link", name="Models", exact=True).click()
        models = page.get_by_role("region", name="Models").get_by_role("table")
        expect(models).to_contain_text("Maybe")
        page.screenshot(path=tmp_path / "models.png", full_page=True)
