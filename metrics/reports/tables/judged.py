"""Figures from judgments of people, of a model, and of both, beside each other."""

from collections.abc import Mapping, Sequence
from typing import Any

from ..formats.layout import Column, Table
from ..formats.tables import DIGITS

#: Columns of a row of `judged_rows` that the table shows.
_SHOWN = (
    *("measure", "cutoff", "source", "value", "low", "high", "n_people", "n_model", "worth"),
    *("labels_needed", "withheld"),
)
_SOURCES = (
    "People: the queries that people judged, alone. Model: all that the model judged, by it alone. "
    "Corrected: all of them, by both, with an interval that holds whatever the model is worth. "
    "List: the same passages, counted by the word list."
)
_NEEDED = "Needed: queries that people would judge in all for intervals as narrow as was wanted."
_WORTH = "Worth: how many judgments of people alone one of these is worth."


def judged_table(rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> Table:
    """A row for each source of each figure, those of differences to a baseline last."""
    table_rows = [
        {
            "run": f"{row['run']} - {row['baseline']}" if row["baseline"] else row["run"],
            **{name: row[name] for name in _SHOWN},
        }
        for row in rows
    ]
    has_goal = any(row["labels_needed"] is not None for row in rows)
    return Table(
        name="judged_figures",
        title="Figures from judgments of people, of a model, and of both.",
        columns=[
            Column("run", "Model"),
            Column("measure", "Measure"),
            Column("cutoff", "Cut-off"),
            Column("source", "Judged by"),
            Column("value", "Value", digits=DIGITS),
            Column("low", "Low", digits=DIGITS),
            Column("high", "High", digits=DIGITS),
            Column("n_people", "By people"),
            Column("n_model", "By the model"),
            Column("worth", "Worth", digits=2),
            *([Column("labels_needed", "Needed")] if has_goal else []),
            Column("withheld", "Withheld"),
        ],
        rows=table_rows,
        notes=[_SOURCES, _WORTH, *([_NEEDED] if has_goal else []), *notes],
    )
