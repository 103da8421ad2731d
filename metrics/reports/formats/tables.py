"""Rows to CSV, JSON, Markdown and LaTeX. Undefined values (None) are empty, or null in JSON."""

import csv
import io
import json
import math
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from .escaped_latex import latex_text, lines_above

Row = Mapping[str, object]

#: Decimals of printed numbers: of values of one measure beside each other, and of wide tables, in
#: which those of several stand as published tables have them.
DIGITS, FEWER_DIGITS = 4, 3
# Undefined numbers in formats for people.
_UNDEFINED = "–"


def table_text(whole: Mapping[str, Any], columns: Sequence[str], format: str) -> str:  # noqa: A002 - the option's name
    """`whole["rows"]` as csv, md, latex or json, which holds all the rest of `whole` as well."""
    if format == "json":
        return to_json(whole)
    writers: dict[str, Callable[..., str]] = {"csv": to_csv, "md": to_markdown, "latex": to_latex}
    return writers[format](whole["rows"], columns)


def to_csv(rows: Sequence[Row], columns: Sequence[str], *, header: bool = True) -> str:
    r"""Comma-separated values, quoted where it is needed, lines ending in `\n`.

    Numbers have full precision; cells are written as they are, byte for byte.
    """
    out = io.StringIO()
    writer = csv.writer(out, lineterminator="\n")
    if header:
        writer.writerow(columns)
    writer.writerows([_exact(row[column]) for column in columns] for row in rows)
    return out.getvalue()


def to_json(value: object) -> str:
    """JSON of any value, numbers in full precision; NaN is an error, undefined is null."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, indent=2) + "\n"


def to_markdown(rows: Sequence[Row], columns: Sequence[str], *, digits: int = DIGITS) -> str:
    """A table of GitHub's Markdown; numbers stand to the right, rounded to `digits`."""
    numeric = _numeric(rows, columns)
    lines = [
        [markdown_text(column) for column in columns],
        ["---:" if column in numeric else "---" for column in columns],
        *([markdown_text(_rounded(row[column], digits)) for column in columns] for row in rows),
    ]
    return "".join(f"| {' | '.join(cells)} |\n" for cells in lines)


def to_latex(rows: Sequence[Row], columns: Sequence[str], *, digits: int = DIGITS) -> str:
    """A `tabular` for the package booktabs; numbers stand to the right, rounded to `digits`."""
    numeric = _numeric(rows, columns)
    alignment = "".join("r" if column in numeric else "l" for column in columns)
    body = [
        r"\toprule",
        _latex_line(columns),
        r"\midrule",
        *(_latex_line([_rounded(row[column], digits) for column in columns]) for row in rows),
        r"\bottomrule",
    ]
    above = lines_above("".join(body))
    return "\n".join([*above, rf"\begin{{tabular}}{{{alignment}}}", *body, r"\end{tabular}", ""])


def _numeric(rows: Sequence[Row], columns: Sequence[str]) -> set[str]:
    return {
        column
        for column in columns
        if rows and all(isinstance(row[column], int | float | None) for row in rows)
    }


def _exact(cell: object) -> object:
    if cell is None:
        return ""
    return repr(float(cell)) if isinstance(cell, float) else cell


def _rounded(cell: object, digits: int) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return _UNDEFINED
    return f"{cell:.{digits}f}" if isinstance(cell, float) else str(cell)


def markdown_text(text: str) -> str:
    """Any text as one line of Markdown that shows it and does nothing else."""
    for character in "\\|`*_<>[]&":
        text = text.replace(character, "\\" + character)
    return " ".join(text.split())


def _latex_line(cells: Sequence[str]) -> str:
    return " & ".join(latex_text(cell) for cell in cells) + r" \\"
