"""Defaults of the field are stated once: whatever shows them follows."""

import re
from inspect import signature
from pathlib import Path

import pytest

from annotation.reports.bundle.retrieval import DEPTH
from annotation.reports.operations.create import CreateReportParameters
from annotation.reports.pages.forms import ReportForm
from metrics.api import evaluate
from metrics.vocabulary import CUTOFFS, INTERVAL, LEVEL, RESAMPLES
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
    assert written in str(ReportForm.base_fields["cutoffs"].help_text)
    assert signature(evaluate).parameters["cutoffs"].default == CUTOFFS


@pytest.mark.parametrize("command", ["measure", "report"])
def test_the_help_of_commands_names_these_ranks(command: str) -> None:
    assert f"(default: {','.join(map(str, CUTOFFS))})" in " ".join(run(command, "--help").split())
