"""A study whose people grade passages, by pages alone: from files to the grades of every pair."""

import csv
import io
import os
import re
import zipfile
from hashlib import sha256
from pathlib import Path
from typing import NamedTuple

import pytest
from axe_playwright_python.sync_playwright import Axe
from playwright.sync_api import BrowserContext, Page, expect

from annotation.language_models.double import ModelDouble
from metrics.runs.qrels import read_qrels
from metrics.runs.reading import read_run
from tests.browser.conftest import NewContext
from tests.browser.frame import query_at
from tests.browser.measures import fits
from tests.browser.test_a_study import (
    PASSAGES,
    annotators,
    begin_with_files,
    invited,
    project,
    task_of,
)
from tests.browser.test_corrected_figures import address, double
from tests.browser.test_the_whole_way import COUNT_CLICKS, JOB
from tests.project import Project

__all__ = ["address", "double", "project"]

#: Where pictures of the pages go, where somebody wants to look at them.
_PICTURES = os.environ.get("PAIR_PICTURES", "")
#: What each of three people says of the passages, whatever the query: the median is the second.
GRADES = dict(zip(PASSAGES, ("333", "012", "112", "003"), strict=True))
MEDIANS = {"d0": "3", "d1": "1", "d2": "1", "d3": "0"}
N_PAIRS = 8
#: From the study's name to the report.
MOST_CLICKS = 20
SYSTEMS = ("BM25", "SPLADE_P_P_ENSEMBLE_DISTIL")
#: Passages of each system for a query, and queries of DL 2019 that people judge.
DEPTH, N_QUERIES, N_DRAWN = 5, 43, 30
#: By the texts of query and passage.
Grades = dict[tuple[str, str], int]
#: Rows of a report's table, by run and by whose judgments.
Figures = dict[tuple[str, str], dict[str, str]]


def look_at(page: Page, name: str) -> None:
    """Nothing is wider than the screen, or hard to read for some; a picture is kept."""
    # A click may still be leading to another page, whose document has no element at first.
    page.wait_for_load_state()
    assert fits(page), name
    violations = Axe().run(page).response["violations"]
    assert [(one["id"], one["nodes"][0]["html"]) for one in violations] == [], name
    if _PICTURES:
        page.screenshot(path=f"{_PICTURES}/{name}.png", full_page=True)


@pytest.mark.long
def test_passages_from_files_to_their_grades(
    project: Project, new_context: NewContext, tmp_path: Path
) -> None:
    with project.site() as site:
        requester = new_context(accept_downloads=True).new_page()
        begin_with_files(requester, site, tmp_path)
        pool_pairs(requester)
        create_and_publish(requester)
        link = invited(requester)
        for who, context in enumerate(annotators(new_context)):
            grade(context, link, who)
        collect_and_label(requester)
        look_at_the_agreement(requester)
        decide_one(requester)
        lines = qrels(requester, tmp_path).splitlines()
    grades = [line.split() for line in lines]
    assert len(grades) == N_PAIRS
    assert [grade for _, _, docno, grade in grades if grade != MEDIANS[docno]] == ["2"]


class Real(NamedTuple):
    """The folder of DL 2019, and NIST's grades by the texts of query and passage."""

    folder: Path
    grades: Grades


@pytest.fixture(scope="module")
def real(shared_data: Path) -> Real:
    folder = shared_data / "msmarco_dl19"
    queries, passages = texts_in(folder / "queries.tsv"), texts_in(folder / "collection.tsv")
    grades = {
        (queries[qid], passages[docno]): grade
        for qid, docnos in read_qrels(folder / "qrels.txt").items()
        for docno, grade in docnos.items()
        if qid in queries and docno in passages
    }
    return Real(folder, grades)


@pytest.fixture
def judge(double: ModelDouble, address: str, real: Real) -> str:
    """The address of a model that grades passages."""
    double.rule = lambda text, _draw: by_model(real.grades, text)
    return address


@pytest.mark.long
@pytest.mark.timeout(1_200)
def test_relevance_of_real_runs_is_judged_and_measured_in_twenty_clicks(
    project: Project, real: Real, judge: str, new_context: NewContext, tmp_path: Path
) -> None:
    """TREC DL 2019 and two systems; what annotators do is not counted, and keys are not clicks."""
    runs = [real.folder / "runs" / f"{name}.run" for name in SYSTEMS]
    clicks: list[str] = []
    desk = new_context(accept_downloads=True)
    desk.expose_function("countClick", lambda: clicks.append("click"))
    desk.add_init_script(COUNT_CLICKS)
    page = desk.new_page()
    with project.site() as site:
        page.goto(f"{site}/studies/new/")
        begin(page, [real.folder / "collection.tsv", real.folder / "queries.tsv", *runs])
        pool_and_draw(page)
        publish_graded(page)
        ask_the_model(page, judge)
        link = invited(page)
        for who, context in enumerate(annotators(new_context)):
            judge_all(context.new_page(), link, who, real.grades)
        n_ties = decide_and_adjudicate(page, real.grades)
        out = export_qrels(page, tmp_path)
        measure(page)
        assert len(clicks) <= MOST_CLICKS
        figures = figures_in(page, tmp_path)
    assert n_ties > 0
    check_figures(figures, out, real.folder)


def texts_in(path: Path) -> dict[str, str]:
    """The words of each text of a file, by its id."""
    lines = path.read_text(encoding="utf-8").rstrip("\n").split("\n")
    return {of: words_of(text) for of, text in (line.split("\t", 1) for line in lines)}


def words_of(text: str) -> str:
    """The letters of a text: pages show control characters by their numbers."""
    return " ".join(re.findall("[A-Za-z]+", re.sub(r"\[U\+\w+\]", " ", text)))


def digest_of(query: str, passage: str) -> int:
    return int.from_bytes(sha256(f"{query}\n{passage}".encode()).digest()[:4])


def by_person(nist: Grades, pair: tuple[str, str], who: int) -> int:
    """The grade of NIST; of a few pairs all three say something else, and often one is beside."""
    grade, digest = nist.get(pair, 0), digest_of(*pair)
    if digest % 61 == 0:
        return who
    return beside(grade) if digest % 5 == who else grade


def by_model(nist: Grades, text: str) -> str:
    """The grade of NIST, or the one beside it: of two pairs in five."""
    query, passage = text.removeprefix("Query: ").split("\nPassage: ", 1)
    pair = (words_of(query), words_of(passage))
    grade = nist.get(pair, 0)
    return str(beside(grade) if digest_of(*pair) % 7 < 3 else grade)


def beside(grade: int) -> int:
    return grade + 1 if grade < 3 else 2


def begin(page: Page, files: list[Path]) -> None:
    page.get_by_label("Name").fill("passages")
    page.get_by_role("button", name="Begin the study").click()
    page.locator("input[type=file]").set_input_files(files)
    with page.expect_navigation(timeout=JOB):
        page.get_by_role("button", name=f"Store {len(files)} files").click()
    page.locator("#score").get_by_text("Only score").click()
    page.get_by_role("button", name="Score the collection").click()


def pool_and_draw(page: Page) -> None:
    page.locator("#pool").get_by_role("link", name="pool pairs of query and passage").click(
        timeout=JOB
    )
    depth = page.get_by_label("Passages of each query")
    depth.fill(str(DEPTH))
    depth.press("Enter")
    expect(page).to_have_url(re.compile(rf"cutoff={DEPTH}\b"))
    page.get_by_role("button", name="Build pool of pairs").click()
    expect(page.locator("#batches")).to_contain_text("are in no batch yet", timeout=JOB)
    page.locator("#batches").get_by_role("link", name="Draw a sample of them first").click()
    page.get_by_label("Pairs to draw").fill(str(N_DRAWN))
    page.get_by_label("How to draw").select_option("queries")
    page.get_by_role("button", name="Draw sample").click()
    page.get_by_role("link", name="New batch from it").click()


def publish_graded(page: Page) -> None:
    page.get_by_label("Name").fill("graded")
    page.get_by_label("What to ask").select_option("relevance")
    page.get_by_role("button", name="Create the draft").click()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#progress")).to_contain_text(re.compile(r"(\d+) of \1\b"), timeout=JOB)


def ask_the_model(page: Page, address: str) -> None:
    page.get_by_role("link", name="a model’s labels of all of it").click(timeout=JOB)
    expect(page.get_by_label("Address of the model's server")).to_have_value(address)
    model = page.get_by_label("Model", exact=True)
    model.fill("double")
    model.press("Enter")
    outlook = page.get_by_role("region", name="What follows")
    expect(outlook).to_contain_text("How well does the passage answer the query?")
    page.get_by_role("button", name="Ask the model").click()
    expect(page.locator("#progress")).to_contain_text("double labelled", timeout=JOB)


#: Query and passage of every pair on the page of a HIT, in its order.
_PAIRS = """all => all.map(one => ['.query', '.passage p'].map(
  part => one.querySelector(part).textContent))"""


def judge_all(page: Page, link: str, who: int, nist: Grades) -> None:
    """One HIT after the other, without a pause."""
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    task, done = (
        task_of(page, "The task"),
        page.get_by_role("heading", name="Submitted. Thank you."),
    )
    task.get_by_role("button", name="Start").click()
    while not done.is_visible():
        address = page.url
        expect(query_at(task, "Passage 1 of")).to_be_visible()
        pairs = task.locator("section.item").evaluate_all(_PAIRS)
        for number, (query, passage) in enumerate(pairs, start=1):
            grades = query_at(task, f"Passage {number} of").locator("label")
            pair = (words_of(query), words_of(passage))
            grades.nth(by_person(nist, pair, who)).click()
        task.get_by_role("button", name="Submit").click()
        expect(page).not_to_have_url(address)
        expect(done.or_(page.locator("iframe"))).to_be_visible()


def decide_and_adjudicate(page: Page, nist: Grades) -> int:
    """By majority, and by keys where it decides nothing; return the number of such pairs."""
    page.get_by_role("button", name="Collect answers").click()
    decide = page.get_by_role("button", name="Decide labels")
    expect(decide).to_be_visible(timeout=JOB)
    page.get_by_label("Method").select_option("majority")
    decide.click()
    page.get_by_role("link", name="Adjudicate ties").click(timeout=JOB)
    waiting = page.get_by_role("heading", name=re.compile(r"Decide \(\d+ waiting\)"))
    n_ties = int(re.sub(r"\D", "", waiting.inner_text()))
    for n_left in range(n_ties, 0, -1):
        expect(waiting).to_contain_text(f"({n_left} waiting)")
        page.wait_for_load_state()  # keys do what they do once the script of the page has run
        texts = (page.locator("form.decide .query-text"), page.locator("form.decide details p"))
        query, passage = (words_of(text.inner_text()) for text in texts)
        option = page.locator(f"input[name=category][value='{nist.get((query, passage), 0)}']")
        page.keyboard.press(option.get_attribute("data-key") or "")
        page.keyboard.type("As NIST has it.")
        page.keyboard.press("Enter")
    expect(page.get_by_text("Nothing is left to decide")).to_be_visible()
    return n_ties


def export_qrels(page: Page, folder: Path) -> Path:
    with page.expect_download() as download:
        page.get_by_role("link", name="download the qrels").click()
    download.value.save_as(folder / "graded.qrels")
    return folder / "graded.qrels"


def measure(page: Page) -> None:
    page.get_by_role("link", name="a bias report").click()
    expect(page.get_by_role("checkbox", name="graded")).to_be_checked()
    expect(page.get_by_text("Beside judgments of models: double")).to_be_visible()
    page.get_by_role("button", name="Make the report").click()
    expect(page.locator("#judged_figures")).to_be_attached(timeout=JOB)


def figures_in(page: Page, folder: Path) -> Figures:
    """The rows of nDCG in the report's files, by run and source."""
    with page.expect_download() as download:
        page.get_by_role("link", name="Download all of it").click()
    download.value.save_as(folder / "report.zip")
    with zipfile.ZipFile(folder / "report.zip") as files:
        name = next(name for name in files.namelist() if name.endswith("judged_figures.csv"))
        rows = list(csv.DictReader(io.StringIO(files.read(name).decode())))
    return {(row["run"], row["source"]): row for row in rows if row["measure"] == "nDCG"}


def check_figures(figures: Figures, qrels: Path, real: Path) -> None:
    """What people's figures say is what pytrec_eval, which reads the qrels, measures."""
    pytrec_eval = pytest.importorskip("pytrec_eval")
    grades = read_qrels(qrels)
    assert len(grades) == N_DRAWN
    of_nist = read_qrels(real / "qrels.txt")
    for qid, of_query in grades.items():
        assert of_query == {docno: of_nist[qid].get(docno, 0) for docno in of_query}
    with qrels.open() as file:
        evaluator = pytrec_eval.RelevanceEvaluator(
            pytrec_eval.parse_qrel(file), {f"ndcg_cut.{DEPTH}"}
        )
    for name in SYSTEMS:
        scores = read_run(real / "runs" / f"{name}.run", queries=set(grades)).to_dict()
        values = [row[f"ndcg_cut_{DEPTH}"] for row in evaluator.evaluate(scores).values()]
        people, model, corrected = (figures[name, by] for by in ("people", "model", "corrected"))
        assert float(people["value"]) == pytest.approx(sum(values) / len(values))
        assert 0 < float(model["value"]) < 1
        assert (people["n_people"], corrected["n_people"]) == (str(N_DRAWN), str(N_DRAWN))
        assert corrected["n_model"] == str(N_QUERIES)
        assert 0 < float(corrected["low"]) < float(corrected["high"]) < 1


def pool_pairs(page: Page) -> None:
    page.locator("#pool").get_by_role("link", name="pool pairs of query and passage").click()
    page.get_by_role("button", name="Show its size").click()
    look_at(page, "pool-pairs")
    page.get_by_role("button", name="Build pool of pairs").click()
    batches = page.locator("#batches")
    expect(batches).to_contain_text("8 pooled pairs are in no batch yet.", timeout=120_000)
    batches.locator("summary").first.click()
    batches.get_by_role("link", name="New batch of 8 pairs").click()


def create_and_publish(page: Page) -> None:
    page.get_by_label("Name").fill("graded")
    page.get_by_label("Pairs per HIT").fill("4")
    page.get_by_label("What to ask").select_option("gender")
    page.get_by_role("button", name="Preview the first HIT").click()
    expect(page.locator("main")).to_contain_text("Choose relevance or passage_gender")
    page.get_by_label("What to ask").select_option("relevance")
    page.get_by_role("button", name="Preview the first HIT").click()
    first = task_of(page, "The first HIT")
    expect(first.get_by_role("heading", level=1)).to_have_text(
        "How well does the passage answer the query?"
    )
    first.get_by_role("button", name="Start").click()
    expect(first.locator(".item:visible .passage p")).not_to_be_empty()
    first.get_by_role("button", name="Mark the query’s words").click()
    look_at(page, "preview")
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#progress")).to_contain_text("2 of 2", timeout=120_000)


def grade(context: BrowserContext, link: str, who: int) -> None:
    page = context.new_page()
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    for hit in range(2):
        task = task_of(page, "The task")
        if hit == 0:
            task.get_by_role("button", name="Start").click()
        for number in range(1, 5):
            place = f"Passage {number} of 4"
            expect(task.get_by_text(place, exact=True)).to_be_visible()
            passage = task.locator(".item:visible .passage p").inner_text()
            look_at(page, f"task-{who}-{hit}-{number}")
            code = GRADES[passage][who]
            if who == 0:
                page.keyboard.press(code)
            else:
                query_at(task, place).locator("label").nth(int(code)).click()
            expect(query_at(task, place)).to_have_count(0)
        look_at(page, f"task-{who}-{hit}-end")
        task.get_by_role("button", name="Submit").click()
        if hit == 0:
            expect(page).to_have_url(re.compile(r"/assignments/\w+/\?submitted"))
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()


def collect_and_label(page: Page) -> None:
    page.get_by_role("button", name="Collect answers").click()
    expect(page.locator("#strip")).to_contain_text("24 of 24", timeout=120_000)
    page.get_by_role("button", name="Decide labels").click()
    expect(page.get_by_role("link", name="Tie 0")).to_be_visible()


def look_at_the_agreement(page: Page) -> None:
    page.get_by_role("link", name="Agreement", exact=True).click()
    expect(page.locator("main")).to_contain_text(re.compile(r"alpha, ordinal\s*-?[01]\.\d{3}"))
    look_at(page, "agreement")


def decide_one(page: Page) -> None:
    """A pair is found by the words of its passage, read, and decided by a person."""
    page.get_by_role("link", name="Answers", exact=True).click()
    page.get_by_role("link", name="Pairs", exact=True).click()
    page.get_by_label("Text or id").fill("bread and butter")
    expect(page.get_by_text("2 of 8 pairs")).to_be_visible()
    page.get_by_role("row").locator("summary", has_text="d1").first.click()
    expect(page.get_by_text("bread and butter", exact=True).first).to_be_visible()
    look_at(page, "queries")
    page.get_by_role("rowheader").get_by_role("link").first.click()
    expect(page.get_by_text("bread and butter", exact=True)).to_be_visible()
    look_at(page, "query")
    page.get_by_role("link", name="Decide it yourself").click()
    expect(page.get_by_text("bread and butter", exact=True)).to_be_visible()
    page.set_viewport_size({"width": 320, "height": 640})
    look_at(page, "adjudication-phone")
    page.set_viewport_size({"width": 1280, "height": 720})
    page.get_by_role("radio", name="Relevant", exact=False).nth(1).check()
    page.get_by_role("textbox", name="Why").fill("Butter is asked for, too.")
    page.get_by_role("button", name="Decide").click()
    expect(page.get_by_role("region", name="Decisions")).to_contain_text("Butter is asked for")
    look_at(page, "adjudication")


def qrels(page: Page, folder: Path) -> str:
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_text("Other formats", exact=True).click()
    page.get_by_label("Format").select_option("qrels-adjudicated")
    page.get_by_role("button", name="Preview").click()
    look_at(page, "labels")
    with page.expect_download() as download:
        page.get_by_role("button", name="Download", exact=True).click()
    download.value.save_as(folder / "graded.qrels")
    return (folder / "graded.qrels").read_text()
