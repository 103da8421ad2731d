"""Names in any script: set where a font has them, and their codes where pdfTeX has none."""

import subprocess
from pathlib import Path

import pytest

from metrics.reports.formats.escaped_latex import latex_text, lines_above
from metrics.reports.formats.latex import latex_of, provenance_tex
from metrics.reports.formats.layout import Column, Table, Value
from metrics.reports.formats.tables import to_latex
from tests.latex import compile_latex
from tests.servers import need_program

NAMES = ["Жук и ёж", "نموذج", "模型", "モデル", "모델", "דגם", "λ=0.5", "a→α≤1", "😀", "Ťĺħ", "Ǣƀẹ"]


def test_letters_of_a_name_that_is_typed_in_two_parts_are_one() -> None:
    assert latex_text("mode\u0300le") == "modèle"


def test_greek_letters_and_relations_are_set_by_every_engine() -> None:
    assert latex_text("λ≤Σ") == r"$\lambda$$\leq$$\Sigma$"
    assert lines_above(latex_text("λ≤Σ, Dvořák, “a” – …")) == []


def test_what_the_preamble_needs_is_said() -> None:
    assert lines_above("Wałęsa", "booktabs") == [
        r"% Needs \usepackage{booktabs}\usepackage[T1]{fontenc} in the preamble."
    ]


def _tables() -> list[str]:
    rows: list[dict[str, Value]] = [{"run": name, "value": 0.5} for name in NAMES]
    columns = [Column("run", NAMES[0]), Column("value", NAMES[1])]
    table = Table(name="t", title=f"Of {NAMES[2]}", columns=columns, rows=rows, notes=[NAMES[3]])
    facts = [(name, f"{name} by ヴァイオリンとピアノのためのソナタ") for name in NAMES]
    return [latex_of(table), to_latex(rows, ["run", "value"]), provenance_tex(facts)]


@pytest.mark.long
def test_pdflatex_sets_tables_with_names_of_every_script(tmp_path: Path) -> None:
    compile_latex(_tables(), tmp_path)


@pytest.mark.long
def test_letters_that_the_preamble_declares_are_printed(tmp_path: Path) -> None:
    preamble = r"\documentclass{article}\DeclareUnicodeCharacter{0416}{Zh}"
    compile_latex([to_latex([{"run": "Ж 模"}], ["run"])], tmp_path, preamble)
    read = [need_program("pdftotext", trial=("-v",)), "paper.pdf", "-"]
    printed = subprocess.run(read, cwd=tmp_path, capture_output=True, text=True, check=True).stdout
    assert "Zh [U+6A21]" in printed
