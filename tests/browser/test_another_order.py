"""A study in another order, under other names: labels are decided and adjudicated, and measured,
before all votes are in, and the panel's list comes last.

At every stop the numbers of every page are compared with those that follow from the answers given.
"""

import csv
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import permutations
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from annotation.core.counting import counted
from tests.browser.conftest import NewContext
from tests.browser.frame import query_at, query_named
from tests.browser.test_a_study import KEYS, invited, task_of, write
from tests.browser.test_the_whole_way import JOB, score_and_pool
from tests.ports import free_port
from tests.project import Project

N_HITS, N_ANNOTATORS, REWARD, FEE = 2, 4, 0.25, 0.05
PANEL = N_ANNOTATORS - 1
#: What the annotators say of the first query that they see, of the second, ... and so on again.
SAID = ("nnnn", "fffn", "nfnn", "mmff", "nffn")
WORDS = {"n": "Non-gendered", "f": "Female", "m": "Male", "o": "Other or multiple genders"}
BATCH = ("", "queries", "labels", "agreement", "adjudication", "workers", "costs", "invite", "log")


@dataclass
class Truth:
    """What annotators have answered, by text of the query, and what follows from it."""

    said: dict[str, dict[int, str]] = field(default_factory=dict)
    adjudicated: dict[str, str] = field(default_factory=dict)
    collected: set[int] = field(default_factory=set)
    is_panel_approved: bool = False
    #: What the list of reports says of the one that was made.
    measured: str = "No report yet"

    @property
    def workers(self) -> set[int]:
        """Those whose votes count."""
        return self.collected - (set() if self.is_panel_approved else {PANEL})

    @property
    def votes(self) -> dict[str, str]:
        """The votes that count on each query."""
        return {
            text: "".join(said[who] for who in sorted(self.workers))
            for text, said in self.said.items()
        }

    def majority(self, text: str) -> str:
        (best, n), *others = Counter(self.votes[text]).most_common()
        return "tie" if others and others[0][1] == n else best

    @property
    def labels(self) -> Counter[str]:
        return Counter(self.adjudicated.get(text) or self.majority(text) for text in self.said)

    @property
    def alpha(self) -> float:
        """Krippendorff's, nominal: one minus what is observed over what is expected by chance."""
        apart = sum(
            sum(a != b for a, b in permutations(votes, 2)) / (len(votes) - 1)
            for votes in self.votes.values()
        )
        every = Counter("".join(self.votes.values()))
        n = every.total()
        expected = sum(every[a] * every[b] for a, b in permutations(every, 2)) / (n - 1)
        return 1 - apart / expected


@pytest.fixture
def files(shared_data: Path, tmp_path: Path) -> list[Path]:
    """TREC DL 2019: collection, queries and seven systems, under names that say nothing."""
    real = shared_data / "msmarco_dl19"
    runs = [*sorted((real / "runs").glob("*.run")), real / "runs_messy_bm25_VBERT.res"]
    names = {real / "collection.tsv": "our passages.txt", real / "queries.tsv": "asked.text"}
    names |= {run: f"System {number} (old).txt" for number, run in enumerate(runs, start=1)}
    for path, name in names.items():
        (tmp_path / name).symlink_to(path)
    return [tmp_path / name for name in names.values()]


@pytest.fixture
def site(tmp_path: Path) -> Iterator[tuple[Project, str]]:
    folder = tmp_path / "var"
    folder.mkdir()
    project = Project(data_dir=folder, port=free_port())
    project.prepare()
    with project.site() as address:
        yield project, address


@pytest.mark.long
def test_every_number_is_the_one_that_follows_from_the_answers(
    site: tuple[Project, str], files: list[Path], new_context: NewContext, tmp_path: Path
) -> None:
    project, address = site
    truth = Truth()
    page = new_context(accept_downloads=True).new_page()
    link, panel = published(page, address, files)
    for who in (0, 1):
        annotate(new_context().new_page(), link, who, truth)
    collect(page, address, truth, {0, 1})
    page.goto(f"{address}/batches/1/labels/")
    page.get_by_role("button", name="Decide labels").click()
    expect(page.get_by_role("heading", name="Export")).to_be_visible(timeout=JOB)
    compare(page, address, truth)

    adjudicate(page, address, truth)
    page.goto(f"{address}/studies/1/report/?batch=1")
    page.get_by_role("button", name="Make the report").click()
    expect(page.get_by_role("heading", name="Bias of the models")).to_be_visible(timeout=JOB)
    truth.measured = f"{counted(truth.labels['n'], 'query')}, 7 runs, labels of early"
    compare(page, address, truth)

    annotate(new_context().new_page(), link, 2, truth)
    annotate(new_context().new_page(), panel, PANEL, truth)
    collect(page, address, truth, {2, PANEL})
    compare(page, address, truth)

    write(tmp_path / "list.csv", ["Submission id,Participant id,Status", "x,p1,APPROVED"])
    page.goto(f"{address}/batches/1/workers/")
    page.get_by_label("List of submissions").set_input_files(tmp_path / "list.csv")
    page.get_by_role("button", name="Import the list").click()
    expect(page.get_by_role("status").first).to_contain_text("1 participant is verified.")
    truth.is_panel_approved = True
    compare(page, address, truth)
    assert "Labels have changed since" in text_of(page, address, "studies/1/report")
    changed = "Labels of early have changed since this report was made"
    assert changed in text_of(page, address, "studies/1/report/1")
    compare_files(page, address, project, truth, tmp_path)


def published(page: Page, address: str, files: list[Path]) -> tuple[str, str]:
    """From the files to a batch that is out: its link, and the panel's address of a participant."""
    page.goto(f"{address}/studies/new/")
    page.get_by_label("Name").fill("another order")
    page.get_by_role("button", name="Begin the study").click()
    page.locator("input[type=file]").set_input_files(files)
    with page.expect_navigation(timeout=JOB):
        page.get_by_role("button", name="Store 9 files").click()
    n_queries = score_and_pool(page, 2)
    page.get_by_label("Name").fill("early")
    page.get_by_label("Queries per HIT").fill(str(-(-n_queries // N_HITS)))
    page.get_by_label("Workers per query").fill(str(N_ANNOTATORS))
    page.get_by_role("button", name="Create the draft").click()
    page.get_by_label("Reason for paying less").or_(
        page.get_by_role("button", name="Publish")
    ).first.wait_for()
    if (reason := page.get_by_label("Reason for paying less")).count():
        reason.fill("A rehearsal among colleagues.")
    page.get_by_role("button", name="Publish").click()
    expect(page.locator("#progress")).to_contain_text(f"{N_HITS} of {N_HITS}", timeout=JOB)
    link = invited(page)
    page.goto(f"{address}/batches/1/invite/")
    page.get_by_text("Participants of a panel").click()
    page.get_by_label("HITs per participant").fill(str(N_HITS))
    page.get_by_role("button", name="Make a panel address").click()
    panel = page.locator("pre", has_text="PROLIFIC_PID").inner_text().partition("?")[0]
    return link, f"{panel}?PROLIFIC_PID=p1&STUDY_ID=s&SESSION_ID=x"


def annotate(page: Page, link: str, who: int, truth: Truth) -> None:
    """Every HIT in a row; whoever comes from the panel has been asked there already."""
    page.goto(link)
    if who == PANEL:
        page.get_by_role("link", name="Does a search query mention a gender?").click()
    else:
        page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    for hit in range(N_HITS):
        expect(page).to_have_url(re.compile(r"/assignments/\w+/" + (r"\?submitted" if hit else "")))
        address, task = page.url, task_of(page, "The task")
        if hit == 0:
            task.get_by_role("button", name="Start").click()
        shown = task.get_by_role("group")
        expect(shown).to_have_count(1)
        for _ in range(task.locator("fieldset").count()):
            before, text = query_named(task.locator("section:visible > h2"))
            of_query = truth.said.setdefault(text, {})
            of_query[who] = SAID[list(truth.said).index(text) % len(SAID)][who]
            shown.locator("label").nth(int(KEYS[of_query[who]]) - 1).click()
            expect(query_at(task, before)).to_have_count(0)
        task.get_by_role("button", name="Submit").click()
        expect(page).not_to_have_url(address)
    expect(page.get_by_role("heading", name="Submitted. Thank you")).to_be_visible()


def collect(page: Page, address: str, truth: Truth, who: set[int]) -> None:
    truth.collected |= who
    page.goto(f"{address}/batches/1/")
    page.get_by_role("button", name="Collect answers").click()
    answers = f"{len(truth.collected) * N_HITS} of {N_ANNOTATORS * N_HITS} answers"
    expect(page.locator("#standing")).to_contain_text(answers, timeout=JOB)


def adjudicate(page: Page, address: str, truth: Truth) -> None:
    page.goto(f"{address}/batches/1/adjudication/")
    text = page.locator(".query-text").inner_text()
    assert truth.majority(text) == "tie"
    page.get_by_role("textbox", name="Why").wait_for()
    page.keyboard.press(KEYS["n"])
    page.keyboard.type("nobody is named")
    page.keyboard.press("Enter")
    expect(page.get_by_text("Decided: non-gendered.")).to_be_visible()
    truth.adjudicated[text] = "n"


def text_of(page: Page, address: str, path: str) -> str:
    """All that a page says, also what is folded."""
    page.goto(f"{address}/{path}/" if path else f"{address}/")
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    return re.sub(r"\s+", " ", page.locator("main").inner_text())


def compare(page: Page, address: str, truth: Truth) -> None:
    """Every page says the numbers that it should."""
    for path, sentences in expected(truth).items():
        shown = text_of(page, address, path)
        for sentence in sentences:
            assert sentence in shown, f"{path}: {sentence!r} is not in {shown}"


def expected(truth: Truth) -> dict[str, list[str]]:
    """The sentences of each page that hold a number which follows from the answers."""
    n, n_collected = len(truth.said), len(truth.collected)
    n_votes, n_workers = n * len(truth.workers), len(truth.workers)
    labels, n_ties = truth.labels, truth.labels["tie"]
    n_labelled = labels.total() - n_ties
    of_votes = f"{n_votes} of {n * N_ANNOTATORS}"
    waiting = n * (n_collected - n_workers)
    out = f"{n * (N_ANNOTATORS - n_collected)} still to come"
    if waiting:
        out = f"{waiting} waiting for the panel's list"
    elif n_collected == N_ANNOTATORS:
        out = ""
    cost = f"{N_HITS * N_ANNOTATORS * (REWARD + FEE):.2f} USD"
    strip = [
        f"{n_collected * N_HITS} of {N_ANNOTATORS * N_HITS} answers",
        f"{counted(n_votes, 'vote')} of {counted(n_workers, 'worker')}",
        "0.00 USD spent",
        f"{of_votes} {out}".strip(),
    ]
    pages = {f"batches/1/{name}".rstrip("/"): list(strip) for name in BATCH}
    pages["studies/1"] = [
        f"{labels['n'] / n_labelled:.0%} of {counted(n_labelled, 'labelled query')} of early",
        f"spent, of {cost} committed",
        f"{of_votes} votes",
        *(f"{WORDS[code]} {count}" for code, count in labels.items() if code != "tie"),
        *([f"Tie {n_ties}", f"{counted(n_ties, 'tie')} to adjudicate"] if n_ties else []),
    ]
    pages["studies/1/report"] = [truth.measured]
    pages[""] = [f"{n_labelled}, {labels['n'] / n_labelled:.0%} of them non-gendered"]
    pages["batches"] = [f"{n} 2 of 2 {of_votes} {out}".strip(), f"{cost} 0.00 USD"]
    pages["batches/1/labels"] += [f"{word} {labels[code]}" for code, word in WORDS.items()]
    pages["batches/1/labels"] += [f"Tie {n_ties}", counted(labels["n"], "query")]
    pages["batches/1/agreement"] += [
        f"{n_votes} votes of {n_workers} workers on {n} queries, {n_workers:.2f} per query.",
        f"By majority {counted(sum(truth.majority(one) == 'tie' for one in truth.said), 'tie')}",
        f"Krippendorff's alpha {truth.alpha:.3f}",
    ]
    pages["batches/1/adjudication"] += [f"({n_ties} waiting)"] if n_ties else ["Nothing is left"]
    pages["batches/1/queries"] += [f"{n} of {n} queries."]
    for text, votes in truth.votes.items():
        counts = sorted(
            Counter(votes).items(), key=lambda one: (-one[1], list(WORDS).index(one[0]))
        )
        tally = " ".join(f"{count} {WORDS[code].lower()}" for code, count in counts)
        label = truth.adjudicated.get(text) or truth.majority(text)
        pages["batches/1/queries"].append(f"{text} {tally} {WORDS.get(label, 'Tie')}")
    pages["batches/1/workers"] += [counted(n_collected, "worker")]
    pages["batches/1/costs"] += [
        f"Waiting for a review {counted(n_collected * N_HITS, 'answer')}, 0 rejected",
        f"Committed the most that outstanding work can cost {cost}",
        f"0.00 USD, {counted(n, 'query')}",
        f"0.00 USD, {counted(n_labelled, 'label')}",
    ]
    pages["batches/1/invite"] += [
        f"{n_collected * N_HITS} of {N_ANNOTATORS * N_HITS} answers are collected"
    ]
    return pages


def compare_files(page: Page, address: str, project: Project, truth: Truth, folder: Path) -> None:
    """What is downloaded holds as many as the pages say, and what it says follows from it."""
    page.goto(f"{address}/batches/1/labels/")
    rows = {}
    button = page.get_by_role("link", name="Non-gendered queries", exact=True)
    page.locator("summary", has_text=re.compile("^Votes$")).click()
    link = page.get_by_role("link", name="One vote per line (CSV)", exact=True)
    for name, source in (("labels", button), ("votes", link)):
        with page.expect_download() as download:
            source.click()
        rows[name] = download.value.path().read_text().splitlines()
    exported, votes = rows.values()
    assert len(exported) == truth.labels["n"]
    assert len(list(csv.DictReader(votes))) == len(truth.said) * len(truth.workers)
    project.run("study", "bundle", "another order", "--output", folder / "bundle.zip")
    project.run("study", "verify-bundle", folder / "bundle.zip")
