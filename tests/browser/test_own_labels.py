"""Labels as people write them, from a blank editor to decided labels, on both databases."""

import csv
import io
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import psycopg
import pytest
from django.urls import reverse
from playwright.sync_api import Error, Locator, Page, expect

from tests.browser.conftest import NewContext
from tests.browser.frame import query_named
from tests.browser.test_a_study import (
    ANSWERS,
    begin_with_files,
    invited,
    project,
    score_and_pool,
    task_of,
)
from tests.browser.test_a_study_by_a_scheme import publish
from tests.browser.test_every_page import violations
from tests.browser.test_scheme_editor import ask, question
from tests.browser.test_the_whole_way import JOB
from tests.project import Project
from tests.servers import POSTGRES, need_postgresql

__all__ = ["project"]

LABELS = ("Yes, definitely", "No (not at all)", "Ja, eindeutig", "Naïve & < 5 >")
SEVERAL = ("Money & work", "Да, конечно", "はい。")
SURE, WHICH, HOW, WHY = "Does it say so?", "Which of these?", "How strongly?", "Why?"
GOLD = "a query that everybody knows"
#: What somebody sends whose page has a word that is not an option.
OTHER_WORDS = "Yes, surely"
#: By query what each of four annotators says; the third and the fourth are asked later.
SAID = dict(
    zip(
        (*ANSWERS, GOLD),
        [
            (LABELS[0], LABELS[0]),
            (LABELS[1], LABELS[1]),
            (LABELS[2], LABELS[3], LABELS[1], LABELS[2]),
            (LABELS[3], LABELS[3]),
            (LABELS[0], LABELS[0], LABELS[0], LABELS[0]),
        ],
        strict=True,
    )
)


@dataclass(frozen=True)
class OnPostgresql(Project):
    """A project whose databases are of a server."""

    database: str = ""

    @property
    def environment(self) -> dict[str, str]:
        return super().environment | {
            "DATABASE_URL": f"{POSTGRES}{self.database}",
            "CROWD_DATABASE_URL": f"{POSTGRES}{self.database}_crowd",
        }


@pytest.fixture(params=["sqlite", "postgresql"])
def anywhere(request: pytest.FixtureRequest, project: Project) -> Iterator[Project]:
    if request.param == "sqlite":
        yield project
        return
    need_postgresql()
    name = f"fp_labels_{project.port}"
    with psycopg.connect(f"{POSTGRES}postgres", autocommit=True) as server:
        for database in (name, f"{name}_crowd"):
            server.execute(f'CREATE DATABASE "{database}"')
        try:
            on_server = OnPostgresql(**vars(project), database=name)
            on_server.migrate()
            yield on_server
        finally:
            for database in (name, f"{name}_crowd"):
                server.execute(f'DROP DATABASE "{database}" WITH (FORCE)')


@pytest.mark.long
@pytest.mark.timeout(1_800)
def test_labels_as_people_write_them_from_the_editor_to_the_labels(
    anywhere: Project, new_context: NewContext, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLLECT_EVERY_SECONDS", "1")
    with anywhere.site() as site:
        page = new_context(accept_downloads=True).new_page()
        begin_with_files(page, site, tmp_path)
        score_and_pool(page)
        write_the_scheme(page)
        batch = create_with_gold(page, site)
        publish(page)
        link = invited(page)
        pressed = [answer(new_context().new_page(), link, 0)]
        pressed += [answer(new_context().new_page(), link, 1, other_words=True)]
        see_and_read_again(page, batch)
        adaptive_round(page, batch, n_answers=3)
        rejected = answer(new_context().new_page(), link, 2)
        reject(page, batch, who=2)
        adaptive_round(page, batch, n_answers=4)
        pressed += [answer(new_context().new_page(), link, 3)]
        bring_labels_of_a_model(page, batch, tmp_path)
        decide(page, batch)
        votes = exported(page, batch, "votes")
        texts = exported(page, batch, "texts")
    said = sorted((row["query"], row["answer"]) for row in votes if row["question"] == NAME)
    assert said == sorted((text, CODES[label]) for of in pressed for text, label in of.items())
    assert {*rejected} <= {*pressed[2]}
    assert {row["text"] for row in texts} == {f"Said by {who}: & < 5 >" for who in range(4)}
    assert {row["answer"] for row in votes if row["question"] == "which_of_these"} == {
        *("none of these", "money work;да конечно"),
    }


#: The name of the first question, and the codes of its options, as the editor makes them.
NAME = "does_it_say_so"
CODES = dict(
    zip(LABELS, ("yes definitely", "no not at all", "ja eindeutig", "naïve 5"), strict=True)
)


def is_accessible(page: Page) -> None:
    """What axe says; a page that comes anew meanwhile, as a job ended, is looked at again."""
    for patience in range(5, 0, -1):
        try:
            assert violations(page, page.url) == []
        except Error:
            if patience == 1:
                raise
        else:
            break
    page.set_viewport_size({"width": 1280, "height": 720})


def write_the_scheme(page: Page) -> None:
    """Nothing but questions and answers is typed, and it is saved."""
    page.get_by_role("link", name="New batch of 4 queries").click()
    page.get_by_label("Name").fill("first")
    page.get_by_label("What to ask").select_option(label="Blank: questions of my own")
    page.get_by_role("button", name="Create the draft").click()
    page.get_by_label("Title", exact=True).fill("Own labels")
    ask(page, 1, SURE, "One of several options", *LABELS)
    for number in (2, 3, 4):
        page.get_by_role("button", name="Add a question").click()
        expect(question(page, number).get_by_label("Question", exact=True)).to_be_focused()
    ask(page, 2, WHICH, "Several options", *SEVERAL)
    question(page, 2).get_by_role("button", name="Add “none of these”").click()
    expect(question(page, 2).get_by_label("Option 4", exact=True)).to_have_value("None of these")
    ask(page, 3, HOW, "A point of a scale", LABELS[1], "", LABELS[0])
    ask(page, 4, WHY, "Free text")
    is_accessible(page)
    page.get_by_role("button", name="Save scheme").click()
    expect(page.get_by_text("Saved as version 2 of the scheme.")).to_be_visible()


def create_with_gold(page: Page, site: str) -> str:
    """A second batch asks the scheme again; the address of its pages."""
    page.goto(f"{site}{reverse('batch-new')}")
    page.get_by_label("Name").fill("own")
    page.get_by_label("What to ask").select_option(label="Own labels (as first)")
    page.get_by_label("Also ask for queries that an earlier batch has").check()
    page.get_by_label("Queries per HIT").fill("10")
    page.locator("summary", has_text="Quality").click()
    expect(page.locator("#known-options")).to_contain_text(CODES[LABELS[3]])
    gold = page.get_by_label("Queries with a known answer", exact=True)
    gold.fill(f"g1,{GOLD},{CODES[LABELS[0]]}")
    page.get_by_label("Ask 2 workers first").check()
    page.get_by_label("Percent of queries with three votes anyway").fill("0")
    expect(page.locator("#cost")).to_contain_text("each answered by 2 workers")
    page.get_by_role("button", name="Create the draft").click()
    expect(page.get_by_text("Nothing is published yet")).to_be_visible()
    return page.url


def answer(page: Page, link: str, who: int, *, other_words: bool = False) -> dict[str, str]:
    """Answer a HIT; the label that was pressed of each query."""
    pressed = {}
    page.goto(link)
    page.get_by_role("button", name="Start").click()
    page.get_by_role("button", name="Accept").click()
    task = task_of(page, "The task")
    task.get_by_role("button", name="Start").click()
    review = task.get_by_role("button", name="Submit")
    for number in range(len(SAID)):
        heading = task.locator("section.item:visible > h2")
        place, text = query_named(heading)
        label = pressed[text] = SAID[text][who]
        chosen = task.get_by_role("group", name=SURE).get_by_role("radio", name=label, exact=True)
        chosen.check()
        if other_words and text == next(iter(ANSWERS)):
            chosen.evaluate("(field, words) => { field.value = words; }", OTHER_WORDS)
        several = task.get_by_role("group", name=WHICH)
        if who % 2:
            # Whoever means none has none of the others.
            box(several, SEVERAL[0]).check()
            box(several, "None of these").check()
            expect(box(several, SEVERAL[0])).not_to_be_checked()
        else:
            box(several, SEVERAL[0]).check()
            box(several, SEVERAL[1]).check()
        task.get_by_role("group", name=HOW).get_by_role("radio", name=LABELS[0], exact=True).check()
        if number == 0:
            task.get_by_role("textbox", name=WHY).fill(f"Said by {who}: & < 5 >")
        task.get_by_role("button", name="Next").click()
        expect(task.get_by_role("heading", name=place)).to_have_count(0)
        if review.is_visible():
            break
    review.click()
    expect(page.get_by_role("heading", name="Submitted. Thank you.")).to_be_visible()
    return pressed


def box(group: Locator, label: str) -> Locator:
    return group.get_by_role("checkbox", name=label, exact=True)


def standing(page: Page, batch: str, n_answers: int) -> None:
    """The page of the batch once that many answers are there."""
    page.goto(batch)
    expect(page.locator("#standing")).to_contain_text(f"{n_answers} of", timeout=JOB)


def see_and_read_again(page: Page, batch: str) -> None:
    """The unreadable answer is seen as it came in, and read with what its words mean."""
    standing(page, batch, 2)
    worker = worker_with(page, batch, "Cannot be read")
    worker.locator("summary", has_text="As it came in").click()
    expect(worker.locator("pre.raw")).to_contain_text(OTHER_WORDS)
    is_accessible(worker)
    worker.get_by_role("link", name="Read unreadable answers again").click()
    worker.get_by_label("What words mean").fill(f"{OTHER_WORDS} = {CODES[LABELS[0]]}")
    worker.get_by_role("button", name="Show what it costs").click()
    worker.get_by_role("button", name="Read them again").click()
    expect(worker.get_by_text("1 answer can be read now, with 5 votes")).to_be_visible()


def worker_with(page: Page, batch: str, words: str) -> Page:
    """The page of the worker who has these words on it."""
    page.goto(f"{batch}workers/")
    addresses = [str(link.get_attribute("href")) for link in page.locator("th.pseudonym a").all()]
    for address in addresses:
        page.goto(f"{batch.partition('/batches/')[0]}{address}")
        if words in page.content():
            return page
    raise AssertionError(words)


def adaptive_round(page: Page, batch: str, *, n_answers: int) -> None:
    page.goto(f"{batch}acts/round/")
    expect(page.get_by_role("region", name="What follows")).to_contain_text("Does it say so?")
    page.get_by_role("button", name="Publish the round").click()
    expect(page.locator("#standing")).to_contain_text(f"of {n_answers} answers", timeout=JOB)


def reject(page: Page, batch: str, *, who: int) -> None:
    standing(page, batch, 3)
    worker = worker_with(page, batch, f"Said by {who}")
    worker.locator("summary", has_text="Reject").first.click()
    form: Locator = worker.locator("form", has=worker.get_by_role("button", name="Reject"))
    form.get_by_label("What the worker reads as the reason").fill("These were guessed.")
    form.get_by_label("I have read this answer").check()
    form.get_by_role("button", name="Reject").click()
    expect(worker.get_by_role("cell", name="Rejected")).to_be_visible(timeout=JOB)


def bring_labels_of_a_model(page: Page, batch: str, folder: Path) -> None:
    """A file with labels as they read, not as codes."""
    file = folder / "model.csv"
    with file.open("w", encoding="utf-8", newline="") as stream:
        rows = [(f"q{number}", label, "m") for number, label in enumerate(LABELS)]
        csv.writer(stream).writerows([("qid", "label", "model"), *rows])
    page.goto(f"{batch.partition('/batches/')[0]}/studies/")
    page.get_by_role("link", name="walk", exact=True).click()
    page.get_by_role("link", name="Models", exact=True).first.click()
    page.locator("#models-file").set_input_files(file)
    page.get_by_role("button", name="Import", exact=True).click()
    for label in LABELS:
        expect(page.get_by_role("columnheader", name=label, exact=True)).to_be_visible()


def decide(page: Page, batch: str) -> None:
    standing(page, batch, 4)
    page.get_by_role("link", name="Labels", exact=True).click()
    page.get_by_role("button", name="Decide labels").first.click()
    for label in LABELS:
        expect(page.locator("main")).to_contain_text(label)


def exported(page: Page, batch: str, file: str) -> list[dict[str, str]]:
    page.goto(f"{batch}agreement/")
    page.locator("summary", has_text="Where do these numbers come from?").click()
    name = {"votes": "votes (CSV)", "texts": "free texts (CSV)"}[file]
    with page.expect_download() as download:
        page.get_by_role("link", name=name).click()
    text = Path(download.value.path()).read_text(encoding="utf-8")
    return list(csv.DictReader(io.StringIO(text, newline="")))
