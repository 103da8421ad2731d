"""Defaults of the field are stated once: whatever shows them follows."""

import re
from inspect import signature
from pathlib import Path

import pytest

from annotation.api.paging import Pages
from annotation.batches.operations.comprehension import PASSING
from annotation.batches.operations.terms import CreateBatchParameters as Terms
from annotation.models import Batch
from annotation.reports.bundle.retrieval import DEPTH
from annotation.reports.operations.create import CreateReportParameters
from annotation.reports.pages.forms import ReportForm
from annotation.schemes import CANNOT_TELL_WORDS, LONGEST_NAME
from annotation.task_page.texts import fixed_texts
from annotation.vocabulary import ROLE_PERMISSIONS, Action, Role
from config import settings
from metrics.api import evaluate
from metrics.statistics.significance import MIN_QUERIES
from metrics.vocabulary import CUTOFFS, INTERVAL, LEVEL, RESAMPLES
from metrics.votes import conventions, crossed
from metrics.votes.rare import ENOUGH
from tests.program import run

ROOT = Path(__file__).resolve().parents[2]
HOUSES = ("annotation", "config", "metrics", "mturk_local", "pooling", "rankers", "templates")
#: A level, or a number of draws, of its own.
_OWN_TERMS = re.compile(r"\b95 ?%|\blevel: float = \d|\bresamples: int = \d|\b0?\.975\b")


def test_no_heading_and_no_function_has_a_level_or_draws_of_its_own() -> None:
    assert f"{LEVEL:.0%}" == "95%"
    assert INTERVAL == "95 % interval"
    assert RESAMPLES == 1_000
    sources = [
        path
        for house in HOUSES
        for path in (ROOT / house).rglob("*")
        if path.suffix in {".py", ".html"} and path.name != "vocabulary.py"
    ]
    assert len(sources) > 500
    own = [
        f"{path.relative_to(ROOT)}: {match[0]}"
        for path in sources
        for match in _OWN_TERMS.finditer(path.read_text(encoding="utf-8"))
    ]
    assert own == []


def test_every_interface_measures_at_the_same_ranks() -> None:
    # Those of table 1 of Rekabsaz & Schedl 2020 and the depths of its figures.
    assert CUTOFFS == (5, 10, 20, 30)
    written = ",".join(map(str, CUTOFFS))
    assert CUTOFFS[-1] == DEPTH
    assert signature(CreateReportParameters).parameters["cutoffs"].default == CUTOFFS
    assert ReportForm.base_fields["cutoffs"].initial == written
    measured = evaluate({"q1": {"d1": 1.0}}, "RaB", {"d1": "he"})
    assert tuple(measured["cutoff"]) == CUTOFFS


@pytest.mark.parametrize("command", ["measure", "report"])
def test_the_help_of_commands_names_these_ranks(command: str) -> None:
    assert f"(default: {','.join(map(str, CUTOFFS))})" in " ".join(run(command, "--help").split())


def test_a_batch_has_by_default_the_terms_of_a_new_one() -> None:
    """Nobody finds out by a new batch that the model's default is not what is used."""
    fields = {field.name: field.default for field in Batch._meta.fields}
    for name in (
        *("assignments_per_hit", "queries_per_hit", "lifetime_seconds", "duration_seconds"),
        *("auto_approval_seconds", "seed", "together"),
    ):
        assert getattr(Terms, name) == fields[name], name


def test_a_task_page_in_english_offers_the_answer_that_files_and_pages_name() -> None:
    """Its catalogue of translations takes no words but literal ones."""
    assert fixed_texts("en")["cannot_tell"] == CANNOT_TELL_WORDS


@pytest.mark.parametrize(
    ("page", "sentence"),
    [
        ("api.md", f"pages of {Pages.page_size} rows by default, {Pages.max_page_size} at most"),
        ("runbook.md", f"before the first HIT: {PASSING};"),
        ("study-protocol.md", f"asks {Terms.assignments_per_hit} workers for"),
        ("study-protocol.md", f"for {Terms.queries_per_hit} queries each at {Terms.reward} USD"),
        ("integrations.md", f"queries, from {MIN_QUERIES} on"),
        ("integrations.md", f"the test [needs {MIN_QUERIES} queries]"),
        ("metrics.md", f"With fewer than {MIN_QUERIES} queries of the category"),
        ("agreement.md", f"from an alpha of {conventions.RELIABLE}, and allow"),
        ("agreement.md", f"tentative conclusions from {conventions.TENTATIVE} (Krippendorff"),
        ("agreement.md", f"kappa below {conventions.POOR} is poor"),
        ("agreement.md", f"below {crossed.MIN_WORKERS} workers (5 where"),
        (
            "agreement.md",
            f"{crossed.MIN_QUERIES} queries with two votes or {crossed.MIN_HITS} HITs",
        ),
        ("agreement.md", f"bootstrap over the queries ({RESAMPLES:,} resamples)"),
        ("agreement.md", f"A category that fewer than {ENOUGH} queries show"),
        ("data.md", f"A code has up to {LONGEST_NAME} letters"),
    ],
)
def test_documents_state_the_numbers_in_force(page: str, sentence: str) -> None:
    assert sentence in " ".join((ROOT / "docs" / page).read_text(encoding="utf-8").split())


def test_documents_state_the_defaults_of_settings() -> None:
    stated = {
        (name, float(number.replace(",", "")))
        for page in (ROOT / "docs").glob("*.md")
        for name, number in re.findall(r"`([A-Z_]+)` \(([\d,]+)", page.read_text(encoding="utf-8"))
    }
    assert len(stated) >= 5
    assert stated == {(name, float(getattr(settings, name))) for name, _ in stated}


#: The columns of the table of roles, after the role.
_COLUMNS = (Action.ANNOTATE, Action.VIEW, Action.ADJUDICATE, Action.MANAGE, Action.PUBLISH)


@pytest.mark.parametrize("role", Role)
def test_the_table_of_roles_says_what_each_may_do(role: Role) -> None:
    page = (ROOT / "docs" / "web.md").read_text(encoding="utf-8")
    [row] = re.findall(rf"^\| {role} \|(.*)\|$", page, re.MULTILINE)
    may = [cell.strip().startswith(("yes", "with a permission")) for cell in row.split("|")]
    assert may == [action in ROLE_PERMISSIONS[role] for action in _COLUMNS]
