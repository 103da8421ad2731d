"""Marks of significance: each run against the baseline, for tables of one value per run."""

from collections.abc import Sequence

from ..families import Comparisons
from ..formats.layout import MARKS_NOTE, Column
from ..results import Results


def with_marks(results: Results, columns: Sequence[Column]) -> list[Column]:
    """The columns, each followed by that of its mark where there is a baseline."""
    if not results.baseline:
        return list(columns)
    return [
        marked
        for column in columns
        for marked in (column, Column(f"{column.name}_p", "", change=True, kind="p"))
    ]


def marks_note(tests: Comparisons, baseline: str) -> str:
    """The meaning of the marks of such a table; "" without a baseline."""
    if not baseline:
        return ""
    return f"{MARKS_NOTE}, of the difference from {baseline}; {tests.note(baseline)}."
