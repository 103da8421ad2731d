"""From an empty folder to a report and its bundle, by people who never type a command."""

import json
import re
import zipfile
from dataclasses import dataclass
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from tests.browser.conftest import NewContext
from tests.browser.frame import query_at, query_named
from tests.browser.test_a_study import KEYS, PHONE, choose_file, invited, task_of, write
from tests.ports import free_port
from tests.project import Project

#: From the upload to the invitation, and to the report; what annotators do is apart.
CLICKS_TO_INVITE, MOST_CLICKS = 9, 14
N_HITS, N_ANNOTATORS = 3, 4
#: Until what a job makes is on the page, on a machine that does other things.
JOB = 300_000
BIAS_TABLE = "Bias of the models"
QUESTION = "Which genders do the words of this query name?"
#: Enter in a field presses a button, too, but is not a click.
COUNT_CLICKS = (
    "addEventListener('click', e => { if (e.isTrusted && e.detail) countClick(); }, true)"
)
_PASSAGES = ("she is a queen", "bread and butter", "he is a king", "a nurse, he said to her")


@dataclass(frozen=True)
class Material:
    """The files of a study on the requester's disk, and how many queries of each list to pool."""

    collection: Path
    queries: Path
    runs: list[Path]
    per_list: int


@pytest.fixture(params=["real", "small"])
def material(request: pytest.FixtureRequest, tmp_path: Path) -> Material:
    """Six systems on TREC DL 2019 with a seventh whose ranks contradict its scores, or a few."""
    if request.param == "real":
        folder = request.getfixturevalue("shared_data") / "msmarco_dl19"
        messy = folder / "runs_messy_bm25_VBERT.res"
        runs = [*sorted((folder / "runs").glob("*.run")), messy]
        return _renamed(folder / "collection.tsv", folder / "queries.tsv", runs, tmp_path)
    write(tmp_path / "c.tsv", [f"d{n}\t{text}" for n, text in enumerate(_PASSAGES)])
    write(tmp_path / "q.tsv", [f"q{n}\tquery number {n}" for n in range(6)])
    for name, first in (("A", 0), ("B", 2)):
        ranks = [(query, rank) for query in range(6) for rank in range(4)]
        lines = [f"q{q} Q0 d{(first + q + r) % 4} {r + 1} {9 - r} {name}" for q, r in ranks]
        write(tmp_path / f"{name}.run", lines)
    return Material(tmp_path / "c.tsv", tmp_path / "q.tsv", sorted(tmp_path.glob("*.run")), 6)


def _renamed(collection: Path, queries: Path, runs: list[Path], folder: Path) -> Material:
    """Under the names that a year's files have where they are fetched."""
    names = {collection: "dl20.passages", queries: "dl20.topics"}
    names |= {run: f"dl20.{run.stem.removeprefix('runs_')}.run" for run in runs}
    for path, name in names.items():
        (folder / name).symlink_to(path)
    renamed = [folder / name for name in names.values()]
    return Material(renamed[0], renamed[1], renamed[2:], 2)


@pytest.fixture
def project(tmp_path: Path) -> Project:
    """An empty folder; the site prepares it, and asks people to sign in."""
    folder = tmp_path / "var"
    folder.mkdir()
    return Project(data_dir=folder, port=free_port(), is_open=False)


@pytest.mark.long
def test_a_study_by_strangers_takes_fourteen_clicks_and_no_command(
    project: Project, material: Material, new_context: NewContext, tmp_path: Path
) -> None:
    clicks: list[str] = []
    desk = new_context(accept_downloads=True)
    desk.expose_function("countClick", lambda: clicks.append("click"))
    desk.add_init_script(COUNT_CLICKS)
    page = desk.new_page()
    with project.site():
        page.goto((project.data_dir / "owner-link").read_text().strip())
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Upload my files").click()
        page.get_by_label("Name").fill("by strangers")
        page.get_by_role("button", name="Begin the study").click()
        expect(page.locator("input[type=file]")).to_be_visible()
        clicks.clear()
        upload(page, material)
        n_queries = score_and_pool(page, material.per_list)
        create_with_scheme_and_publish(page, n_queries)
        link = invited(page)
        assert len(clicks) <= CLICKS_TO_INVITE
        seen: list[str] = []
        for who in range(N_ANNOTATORS):
            phone = new_context(viewport=PHONE, has_touch=True, is_mobile=True)
            annotate(phone.new_page(), link, who, seen)
        assert len(seen) == n_queries
        label(page)
        page.get_by_role("link", name="a bias report").click()
        baseline = page.get_by_label("Baseline run").input_value()
        page.get_by_role("button", name="Make the report").click()
        table = page.get_by_role("table", name=BIAS_TABLE, include_hidden=True)
        expect(table).to_be_attached(timeout=JOB)
        assert len(clicks) <= MOST_CLICKS
        # Names of runs are shown without what all of them begin with.
        assert baseline.removeprefix("dl20.") in (table.text_content() or "")
        with page.expect_download() as download:
            page.get_by_role("link", name="Download all of it").click()
        download.value.save_as(tmp_path / "report.zip")
        look_at_agreement_and_export(page, tmp_path)
    with zipfile.ZipFile(tmp_path / "report.zip") as report:
        assert any(name.endswith("index.html") for name in report.namelist())
    exported = (tmp_path / "exported.csv").read_text().splitlines()
    # The first was adjudicated to be non-gendered, the second was found female by everybody.
    assert len(exported) == n_queries - 1
    with zipfile.ZipFile(tmp_path / "bundle.zip") as bundle:
        name = next(one for one in bundle.namelist() if one.endswith("scheme.json"))
        assert QUESTION in json.dumps(json.loads(bundle.read(name)))


def upload(page: Page, material: Material) -> None:
    """All files at once, under their own names; what each of them is stands in its row."""
    paths = [material.collection, material.queries, *material.runs]
    page.locator("input[type=file]").set_input_files(paths)
    for path, kind in zip(paths, ["collection", "queries"], strict=False):
        expect(page.get_by_label(f"{path.name} holds")).to_have_value(kind)
    names = page.get_by_label("Name of the run")
    assert len({name.input_value() for name in names.all() if name.is_visible()}) == len(
        material.runs
    )
    with page.expect_navigation(timeout=JOB):
        page.get_by_role("button", name=f"Store {len(paths)} files").click()


def score_and_pool(page: Page, per_list: int) -> int:
    """The number of queries in the pool; a document without a score is skipped."""
    page.get_by_label("Queries of each list").fill(str(per_list))
    page.get_by_label("A document that was not scored").select_option("skip")
    page.get_by_label("Order of the documents").select_option("trec_eval")
    page.get_by_role("button", name="Score and pool the queries").click()
    batch = page.get_by_role("link", name=re.compile(r"New batch of \d+ quer"))
    found = re.search(r"\d+", batch.inner_text(timeout=JOB))
    assert found is not None
    batch.click()
    return int(found[0])


def create_with_scheme_and_publish(page: Page, n_queries: int) -> None:
    page.get_by_label("Name").fill("strangers")
    page.get_by_label("Queries per HIT").fill(str(-(-n_queries // N_HITS)))
    page.get_by_label("Workers per query").fill(str(N_ANNOTATORS))
    page.get_by_role("button", name="Create the draft").click()
    page.get_by_role("button", name="More").click()
    page.get_by_role("link", name="Scheme", exact=True).click()
    page.locator("#id_q0-text").fill(QUESTION)
    page.get_by_role("button", name="Save scheme").click()
    reason = page.get_by_label("Reason for paying less")
    publish = page.get_by_role("button", name="Publish")
    expect(publish).to_be_visible()
    if reason.count():
        reason.fill("A rehearsal among colleagues.")
    publish.click()
    expect(page.locator("#progress")).to_contain_text(f"{N_HITS} of {N_HITS}", timeout=JOB)


def annotate(page: Page, link: str, who: int, seen: list[str]) -> None:
    """Three HITs in a row, on a phone."""
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    for hit in range(N_HITS):
        # Nothing of the last HIT is there any more once the address is another one.
        expect(page).to_have_url(re.compile(r"/assignments/\w+/" + (r"\?submitted" if hit else "")))
        address = page.url
        task = task_of(page, "The task")
        if hit == 0:
            task.get_by_role("button", name="Start").click()
            expect(task.get_by_text(QUESTION).first).to_be_visible()
        submit = task.get_by_role("button", name="Submit")
        shown = task.get_by_role("group")
        # Until the page of the task is there, it has no queries to count.
        expect(shown).to_have_count(1)
        for _ in range(task.locator("fieldset").count()):
            before, text = query_named(task.locator("section:visible > h2"))
            if text not in seen:
                seen.append(text)
            shown.locator("label").nth(int(KEYS[answer(seen.index(text), who)]) - 1).click()
            expect(query_at(task, before)).to_have_count(0)
        submit.click()
        expect(page).not_to_have_url(address)
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()


def answer(number: int, who: int) -> str:
    """The first query is a tie, the second female, all others non-gendered."""
    if number == 0:
        return "nnff"[who]
    return "f" if number == 1 else "n"


def label(page: Page) -> None:
    """Collect, decide, and adjudicate the tie with the keyboard."""
    page.get_by_role("button", name="Collect answers").click()
    page.get_by_role("button", name="Decide labels").click(timeout=JOB)
    page.get_by_role("link", name="Adjudicate", exact=True).click(timeout=JOB)
    page.get_by_role("textbox", name="Why").wait_for()
    page.wait_for_load_state()  # keys do what they do once the script of the page has run
    page.keyboard.press("1")
    page.keyboard.type("nobody is named")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is left to decide")).to_be_visible()


def look_at_agreement_and_export(page: Page, folder: Path) -> None:
    page.get_by_role("link", name="Batches").click()
    page.get_by_role("link", name="strangers", exact=True).click()
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator(".headline")).to_contain_text(re.compile(r"0\.\d{3}"))
    page.get_by_role("link", name="Labels", exact=True).click()
    with page.expect_download() as download:
        page.get_by_role("link", name="Non-gendered queries", exact=True).click()
    download.value.save_as(folder / "exported.csv")
    page.get_by_role("link", name="the bundle of the study").click()
    # The link leads into a folded part, which opens by itself.
    page.get_by_role("button", name="Make the bundle").click()
    bundle = page.get_by_role("link", name="Download the bundle")
    expect(bundle).to_be_visible(timeout=JOB)
    with page.expect_download() as download:
        bundle.click()
    download.value.save_as(folder / "bundle.zip")


@pytest.mark.long
def test_released_labels_lead_to_a_report_on_the_non_gendered_queries(
    shared_data: Path, project: Project, new_context: NewContext, tmp_path: Path
) -> None:
    released = shared_data / "gender_queries" / "queries_gender_annotated.csv"
    ids = [line.split(",", 1)[0] for line in released.read_text().splitlines()]
    write(tmp_path / "c.tsv", [f"d{n}\t{text}" for n, text in enumerate(_PASSAGES)])
    for name, first in (("A", 0), ("B", 2)):
        ranked = [(number, qid, rank) for number, qid in enumerate(ids) for rank in range(2)]
        lines = [f"{q} Q0 d{(first + n + r) % 4} {r + 1} {9 - r} {name}" for n, q, r in ranked]
        write(tmp_path / f"{name}.run", lines)
    page = new_context().new_page()
    with project.site():
        page.goto((project.data_dir / "owner-link").read_text().strip())
        page.get_by_role("button", name="Sign in").click()
        page.get_by_role("link", name="Import labels or votes").click()
        page.get_by_label("What the files hold").select_option("labels")
        page.get_by_label("Files", exact=True).set_input_files(released)
        page.get_by_role("button", name="Preview").click()
        page.get_by_label("Name of the new study").fill("released")
        # Rekabsaz & Schedl 2020, section 4.
        counts = page.get_by_role("region", name="Preview: nothing is stored yet")
        for number in ("3,750", "1,765", "742", "1,202", "41"):
            expect(counts).to_contain_text(number)
        page.get_by_role("button", name="Import the labels").click()
        page.get_by_role("link", name="released", exact=True).first.click()
        # Labels alone need no files: the step is folded.
        page.locator("#files summary").first.click()
        choose_file(page, "Collection", tmp_path / "c.tsv")
        choose_file(page, "Run", tmp_path / "A.run", tmp_path / "B.run")
        page.get_by_role("button", name="Score the collection").click()
        page.locator("#report").get_by_role("link", name="Bias reports").click(timeout=JOB)
        page.get_by_role("heading", name="Measures", exact=True).click()
        page.get_by_label("Cut-offs").fill("1, 2")
        page.get_by_role("button", name="Make the report").click()
        expect(page.get_by_role("heading", name=BIAS_TABLE)).to_be_visible(timeout=JOB)
        expect(page.get_by_text("1,765 non-gendered queries").first).to_be_visible()
