import csv
import io
import json

import pytest

from metrics.reports.formats.escaped_latex import latex_text
from metrics.reports.formats.tables import (
    markdown_text,
    to_csv,
    to_json,
    to_latex,
    to_markdown,
)

ROWS: list[dict[str, object]] = [
    {"run": "a_b", "value": 0.1 + 0.2, "n": 3},
    {"run": '=x, "y"\n', "value": None, "n": 4},
]
COLUMNS = ("run", "value", "n")


def test_csv_has_full_precision_and_leaves_cells_as_they_are() -> None:
    text = to_csv(ROWS, COLUMNS)
    assert text == 'run,value,n\na_b,0.30000000000000004,3\n"=x, ""y""\n",,4\n'
    assert list(csv.reader(io.StringIO(text)))[2] == ['=x, "y"\n', "", "4"]


def test_json_writes_undefined_as_null_and_refuses_nan() -> None:
    assert json.loads(to_json(ROWS)) == ROWS
    with pytest.raises(ValueError, match="nan"):
        to_json([float("nan")])


def test_markdown_rounds_and_aligns_numbers() -> None:
    assert to_markdown(ROWS, COLUMNS, digits=3) == (
        '| run | value | n |\n| --- | ---: | ---: |\n| a\\_b | 0.300 | 3 |\n| =x, "y" | – | 4 |\n'
    )


def test_latex_is_a_booktabs_table() -> None:
    assert to_latex(ROWS[:1], COLUMNS) == (
        "\\begin{tabular}{lrr}\n\\toprule\nrun & value & n \\\\\n\\midrule\n"
        "a\\_b & 0.3000 & 3 \\\\\n\\bottomrule\n\\end{tabular}\n"
    )


def test_hostile_text_is_shown_and_does_nothing() -> None:
    assert latex_text(r"\input{x} 5% & $y_1^2$ #~") == (
        r"\textbackslash{}input\{x\} 5\% \& \$y\_1\textasciicircum{}2\$ \#\textasciitilde{}"
    )
    assert markdown_text("a|b\n<script>") == r"a\|b \<script\>"
