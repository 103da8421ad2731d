"""A study as people walk it: from an empty list of studies and files on a disk to its bias.

Nobody who walks types a command; one compares afterwards what the walk brought.
"""

import json
import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, FrameLocator, Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.browser.frame import query_at, query_named
from tests.project import Project, new_project

#: What each annotator answers; the last query is a tie, for the adjudicator.
ANSWERS = {
    "who was the first queen": "fff",
    "how to bake bread": "nnn",
    "kings of old": "mmf",
    "what is a nurse, really": "nfm",
}
#: The adjudicator's decision stands for the tie.
EXPORTED = ["how to bake bread", "what is a nurse, really"]
PHONE = {"width": 390, "height": 844}
KEYS = {"n": "1", "f": "2", "m": "3", "o": "4"}


#: Two passages of each query, best first; the numbers are those of the passages below.
RANKINGS = {"A": ("02", "13", "20", "31"), "B": ("20", "31", "02", "13")}
PASSAGES = ("she is a queen", "bread and butter", "he is a king", "a nurse, he said to her")


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """A project without anything, and the files of a study in the folder beside it."""
    write(tmp_path / "queries.tsv", [f"q{n}\t{text}" for n, text in enumerate(ANSWERS)])
    write(tmp_path / "collection.tsv", [f"d{n}\t{text}" for n, text in enumerate(PASSAGES)])
    for name, rankings in RANKINGS.items():
        lines = [
            f"q{query} Q0 d{document} {rank} {3 - rank}.0 {name}"
            for query, documents in enumerate(rankings)
            for rank, document in enumerate(documents, start=1)
        ]
        write(tmp_path / f"{name}.run", lines)
    return new_project(tmp_path / "var")


def write(path: Path, lines: list[str]) -> None:
    path.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


@pytest.mark.long
def test_a_study_from_its_files_to_its_bias(
    project: Project, new_context: NewContext, tmp_path: Path
) -> None:
    with project.site() as site:
        requester = new_context(accept_downloads=True).new_page()
        begin_with_files(requester, site, tmp_path)
        score_and_pool(requester)
        look_at_the_overlap(requester)
        create_and_publish(requester)
        link = invited(requester)
        for who, context in enumerate(annotators(new_context)):
            answer_everything(context, link, who, keyboard=who == 0)
        collect_and_label(requester)
        adjudicate_with_the_keyboard(requester)
        file = export(requester, tmp_path)
        log_tells_everything(requester)
        shown = bias_shown(requester, site)
    exported = tmp_path / "exported.csv"
    project.run("label", "export", "small", "--category", "n", "--output", exported)
    assert file.read_bytes() == exported.read_bytes()
    # As released: a query lies between the first and the last comma.
    rows = [line.partition(",")[2].rpartition(",") for line in file.read_text().splitlines()]
    assert sorted(query for query, _, _ in rows) == EXPORTED
    assert shown == bias_by_command(project, tmp_path, exported)


def begin_with_files(page: Page, site: str, folder: Path) -> None:
    """A wrong file is told at once; then all are dropped together, and known by what they hold."""
    page.goto(f"{site}/studies/")
    page.get_by_role("link", name="Upload my files").click()
    page.get_by_label("Name").fill("walk")
    page.get_by_role("button", name="Begin the study").click()
    choose_file(page, "Queries", folder / "A.run")
    expect(page.get_by_role("alert")).to_contain_text("A.run:1:")
    names = ["collection.tsv", "queries.tsv", *(f"{name}.run" for name in RANKINGS)]
    page.get_by_label("Files", exact=True).dispatch_event(
        "drop",
        {
            "dataTransfer": page.evaluate_handle(
                _DROP, {name: (folder / name).read_text() for name in names}
            )
        },
    )
    expect(page.get_by_label("queries.tsv holds")).to_have_value("queries")
    with page.expect_navigation():
        page.get_by_role("button", name="Store 4 files").click()
    # What is done is folded.
    page.locator("#files summary", has_text="4 files, 2 runs").click()
    expect(page.get_by_role("row", name="B Run 8")).to_be_visible()


#: What a person drags: files by name and content.
_DROP = """files => {
  const all = new DataTransfer();
  Object.entries(files).forEach(([name, text]) => all.items.add(new File([text], name)));
  return all;
}"""


def choose_file(page: Page, kind: str, *paths: Path) -> None:
    """What is chosen is shown with what it is, and stored as `kind`."""
    page.locator("input[type=file]").set_input_files(paths)
    for path in paths:
        page.get_by_label(f"{path.name} holds").select_option(kind)
    with page.expect_navigation():
        page.get_by_role("button", name="Store").click()


def score_and_pool(page: Page) -> None:
    """One button for both; the page counts along by itself, and shows the next step."""
    page.get_by_label("Queries of each list").fill("4")
    page.locator("#score").get_by_label("Documents of each query").fill("2")
    page.get_by_role("button", name="Score and pool the queries").click()
    expect(page.get_by_text("4 passages scored")).to_be_visible(timeout=120_000)
    expect(page.get_by_text("4 of 4 queries, from 4 lists of 2 runs.")).to_be_visible(
        timeout=120_000
    )


def look_at_the_overlap(page: Page) -> None:
    """What is done is folded. The picture of how the lists overlap:"""
    page.locator("#pool summary").first.click()
    expect(page.get_by_role("img", name="Overlap of 4 lists")).to_be_visible()


def create_and_publish(page: Page) -> None:
    page.get_by_role("link", name="New batch of 4 queries").click()
    page.get_by_label("Name").fill("small")
    page.get_by_label("Queries per HIT").fill("2")
    page.get_by_role("button", name="Preview the first HIT").click()
    # 2 HITs, 3 workers each, 0.25 USD and a fee of 0.05 USD.
    expect(page.get_by_text("1.80 USD: 1.50 USD for workers, 0.30 USD fees")).to_be_visible()
    expect(task_of(page, "The first HIT").get_by_role("heading", level=1)).to_be_visible()
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    # The page counts along by itself.
    expect(page.locator("#progress")).to_contain_text("2 of 2", timeout=120_000)


def task_of(page: Page, title: str) -> FrameLocator:
    return page.frame_locator(f"iframe[title='{title}']")


def annotators(new_context: NewContext) -> Iterator[BrowserContext]:
    """With the keyboard only, on a small phone, at a desk."""
    yield new_context()
    yield new_context(viewport={"width": 320, "height": 640}, has_touch=True, is_mobile=True)
    yield new_context(color_scheme="dark")


def invited(page: Page) -> str:
    """The link that the page of the batch makes, for all of them."""
    page.get_by_role("button", name="Make a link").click()
    return page.get_by_label("Link for annotators", exact=True).inner_text()


def answer_everything(context: BrowserContext, link: str, who: int, *, keyboard: bool) -> None:
    page = context.new_page()
    page.goto(link)
    enter(page, page.get_by_role("button", name="Start"), keyboard=keyboard)
    enter(page, page.get_by_role("button", name="Accept"), keyboard=keyboard)
    for hit in range(2):
        expect(page).to_have_url(re.compile("/assignments/"))
        task = task_of(page, "The task")
        # The next HIT comes at once, and begins with its first query.
        if hit == 0:
            enter(page, task.get_by_role("button", name="Start"), keyboard=keyboard)
        for _query in range(2):
            choose(page, task, who, keyboard=keyboard)
        enter(page, task.get_by_role("button", name="Submit"), keyboard=keyboard)
        left = re.compile(r"/assignments/\w+/\?submitted") if hit == 0 else None
        if left is not None:
            expect(page).to_have_url(left)
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()


def choose(page: Page, task: FrameLocator, who: int, *, keyboard: bool) -> None:
    """Answer the query that is shown: a key, or a click on the words."""
    shown = task.get_by_role("group")
    place, text = query_named(task.locator("section:visible > h2"))
    category = ANSWERS[text][who]
    if keyboard:
        tab_to(page, shown.get_by_role("radio").first)
        page.keyboard.press(KEYS[category])
    else:
        shown.locator("label").nth(int(KEYS[category]) - 1).click()
    expect(query_at(task, place)).to_have_count(0)


def enter(page: Page, control: Locator, *, keyboard: bool) -> None:
    """Follow a link or press a button."""
    if not keyboard:
        control.click()
        return
    tab_to(page, control)
    page.keyboard.press("Enter")


def tab_to(page: Page, control: Locator) -> None:
    """Go on with Tab until `control` has the focus."""
    control.wait_for()
    for _ in range(60):
        if control.evaluate("one => one === document.activeElement && document.hasFocus()"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"the keyboard does not reach {control}")


def collect_and_label(page: Page) -> None:
    page.get_by_role("button", name="Collect answers").click()
    expect(page.locator("#strip")).to_contain_text("12 of 12", timeout=120_000)
    # The button came by itself when all answers were in.
    page.get_by_role("button", name="Decide labels").click()
    # The page comes anew by itself once the labels stand.
    expect(page.get_by_role("link", name="Tie 1")).to_be_visible()
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator(".headline")).to_contain_text(re.compile(r"0\.\d{3}"))
    page.get_by_role("link", name="1-1-1").click()
    expect(page.get_by_text("1 of 4 queries")).to_be_visible()
    page.get_by_role("link", name="what is a nurse, really").click()
    expect(page.get_by_role("table").first).to_contain_text("w-")
    expect(page.get_by_role("region", name="Places in the lists")).to_contain_text("A")


def adjudicate_with_the_keyboard(page: Page) -> None:
    page.get_by_role("link", name="Answers", exact=True).click()
    page.get_by_role("link", name="Adjudication", exact=True).click()
    expect(page.get_by_text("what is a nurse, really")).to_be_visible()
    page.keyboard.press("1")
    page.keyboard.type("nobody is named")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided: non-gendered.")).to_be_visible()
    expect(page.get_by_text("Nothing is left to decide")).to_be_visible()


def export(page: Page, folder: Path) -> Path:
    page.get_by_role("link", name="Labels", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Non-gendered queries", exact=True).click()
    assert download.value.suggested_filename == "small-n.csv"
    download.value.save_as(folder / "downloaded.csv")
    return folder / "downloaded.csv"


def log_tells_everything(page: Page) -> None:
    page.get_by_role("link", name="Overview", exact=True).click()
    page.get_by_role("link", name="Log", exact=True).click()
    for action in ("Batch created", "Published", "Answers collected", "Query adjudicated"):
        expect(page.get_by_role("rowheader", name=action, exact=True).first).to_be_visible()


def bias_shown(page: Page, site: str) -> dict[tuple[str, str], list[str]]:
    """The numbers of the report's first table, by cut-off and run."""
    page.goto(f"{site}/studies/")
    page.get_by_role("link", name="walk", exact=True).click()
    page.get_by_role("link", name="Bias reports").first.click()
    page.get_by_label("small").check()
    page.get_by_role("heading", name="Measures", exact=True).click()
    page.get_by_label("Cut-offs").fill("1, 2")
    page.get_by_role("button", name="Make the report").click()
    table = page.get_by_role("table", name="Bias of the models", include_hidden=True)
    expect(table).to_be_attached(timeout=120_000)
    page.get_by_role("heading", name="Bias of the models").click()
    found, cutoff = {}, ""
    for row in table.locator("tbody tr").all():
        first, run, *cells = row.locator("td").all_inner_texts()
        cutoff = first.strip() or cutoff
        # Behind each number of B stands its difference from that of A.
        found[cutoff, run] = [cell.split()[0] for cell in cells]
    return found


def bias_by_command(
    project: Project, folder: Path, exported: Path
) -> dict[tuple[str, str], list[str]]:
    """The same from `fairpool measure` on the exported queries."""
    scored = folder / "scored.parquet"
    project.fairpool("score", folder / "collection.tsv", "--output", scored)
    measured = project.fairpool(
        *("measure", "--scores", scored, "--queries", exported),
        *("--magnitude", "tf,bool", "--cutoff", "1,2", "--json"),
        *(part for name in RANKINGS for part in ("--run", f"{name}={folder / name}.run")),
    )
    values = {
        (row["cutoff"], row["run"], row["magnitude"], row["measure"]): row["value"]
        for row in json.loads(measured.stdout)["rows"]
    }
    return {
        (str(cutoff), run): [
            f"{values[cutoff, run, magnitude, measure]:.3f}".replace("-0.000", "0.000")
            for magnitude in ("tf", "bool")
            for measure in ("RaB", "ARaB")
        ]
        for cutoff in (1, 2)
        for run in RANKINGS
    }
