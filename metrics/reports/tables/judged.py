"""Figures from judgments of people, of a model, and of both, beside each other."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ...measures.base import Qrels
from ...results.evaluation import Request, requests_of
from ...results.few_judgments import judged_rows, judgments_of
from ...results.judgments import Kind, Terms
from ...results.scored_runs import open_runs
from ...runs import Order
from ...runs.queries import Queries
from ...statistics.few_labels import TARGETS
from ...texts.magnitude_store import Magnitudes
from ...vocabulary import Missing
from ..formats.layout import Column, Table
from ..formats.tables import DIGITS

#: The measures of a report by the kind of judgments that they read.
_MEASURES: Mapping[Kind, Sequence[str]] = {
    "qrels": ("nDCG", "MRR", "P", "DCG"),
    "passages": ("LabelRaB",),
}

#: Columns of a row of `judged_rows` that the table shows.
_SHOWN = (
    *("measure", "cutoff", "source", "target", "value", "low", "high", "simultaneous_low"),
    *("simultaneous_high", "p", "p_corrected", "mark", "n_queries", "n_people", "n_model", "worth"),
    *("partly_judged", "labels_needed", "withheld"),
)
_DIFFERENCES = [
    Column("simultaneous_low", "Low", "Simultaneous", digits=DIGITS),
    Column("simultaneous_high", "High", "Simultaneous", digits=DIGITS),
    Column("p", "p", kind="p"),
    Column("p_corrected", "corrected", kind="p"),
    Column("mark", "Mark"),
]
_SOURCES = (
    "People: the queries that people judged, alone. Model: all that the model judged, by it alone. "
    "Corrected: all of them, by both, with an interval that holds for good models and bad ones. "
    "List: the same passages, counted by the word list."
)
_NEEDED = "Needed: queries that people would judge in all for intervals as narrow as was wanted."
_COMPLETE = (
    "An interval without width: people judged every query that the figure is about, so that "
    "nothing is estimated."
)
_WORTH = "Worth: how many judgments of people alone one is worth, by the widths of the intervals."
_TESTS = (
    "p: that two runs do not differ, by Student's t of this figure; corrected (Holm, or as the "
    "report says) over the differences by the same judgments under one measure and cut-off, or of "
    "the whole table. Simultaneous: intervals of differences that all hold together over the same "
    "family (Bonferroni's); the others hold each by itself."
)


def judged_figures(
    paths: Mapping[str, Path],
    magnitudes: Magnitudes,
    people: Mapping[str, Qrels | None],
    models: Mapping[Kind, Qrels | None],
    terms: Terms,
    *,
    cutoff: int,
    relevant: int,
    queries: Queries | None,
    order: Order,
    missing: Missing,
) -> tuple[Sequence[Mapping[str, Any]], Sequence[str]]:
    """Rows of `judged_rows` at the cut-off, and notices; `relevant` is the lowest relevant grade.

    None where no model judged and nobody labelled passages: the table of effectiveness has the
    figures of people's grades.
    """
    kinds = [kind for kind in _MEASURES if models.get(kind) or _is_of_passages(kind, people)]
    if not kinds:
        return (), ()
    requests = judged_requests(kinds, cutoff, relevant)
    opened = open_runs(
        dict(paths),
        magnitudes,
        requests,
        queries=queries,
        order=order,
        missing=missing,
        judgments={**people, **{f"judge_{kind}": models.get(kind) for kind in _MEASURES}},
    )
    met = opened.judgments
    judgments = judgments_of(met, {kind: met[f"judge_{kind}"] for kind in _MEASURES})
    return judged_rows(opened, requests, judgments, terms, {kind: met[kind] for kind in people})


def _is_of_passages(kind: Kind, people: Mapping[str, Qrels | None]) -> bool:
    return kind == "passages" and bool(people[kind])


def judged_requests(kinds: Sequence[Kind], cutoff: int, relevant: int) -> list[Request]:
    """The measures of a report that read these judgments."""
    names = [name for kind in kinds for name in _MEASURES[kind]]
    return [
        replace(request, measure=request.measure.with_params(relevant=relevant))
        for request in requests_of(names, cutoffs=[cutoff])
    ]


def name_of(row: Mapping[str, Any]) -> str:
    """Return what a row is about: a run, or its difference to the baseline."""
    return f"{row['run']} - {row['baseline']}" if row["baseline"] else str(row["run"])


def judged_table(rows: Sequence[Mapping[str, Any]], notes: Sequence[str]) -> Table:
    """A row for each source of each figure, those of differences to a baseline last."""
    table_rows = [
        {
            "run": name_of(row),
            # A report of an earlier version has fewer of them, and was about the pool.
            **{name: row.get(name) for name in _SHOWN},
            "target": row.get("target", "pool"),
        }
        for row in rows
    ]
    has_goal = any(row["labels_needed"] is not None for row in table_rows)
    has_differences = any(row["baseline"] for row in rows)
    has_rule = any(row["partly_judged"] for row in table_rows)
    targets = dict.fromkeys(row["target"] for row in table_rows if row["target"])
    return Table(
        name="judged_figures",
        title="Figures from judgments of people, of a model, and of both.",
        columns=[
            Column("run", "Model"),
            Column("measure", "Measure"),
            Column("cutoff", "Cut-off"),
            Column("source", "Judged by"),
            Column("target", "Intervals for"),
            Column("value", "Value", digits=DIGITS),
            Column("low", "Low", digits=DIGITS),
            Column("high", "High", digits=DIGITS),
            *(_DIFFERENCES if has_differences else []),
            Column("n_queries", "Queries"),
            Column("n_people", "By people"),
            Column("n_model", "By the model"),
            Column("worth", "Worth", digits=2),
            *([Column("partly_judged", "Not judged")] if has_rule else []),
            *([Column("labels_needed", "Needed")] if has_goal else []),
            Column("withheld", "Withheld"),
        ],
        rows=table_rows,
        notes=[
            _SOURCES,
            *(f"Intervals and p-values are about {TARGETS[target]}." for target in targets),
            _WORTH,
            *([_COMPLETE] if any(map(_is_complete, table_rows)) else []),
            *([_TESTS] if has_differences else []),
            *([_NEEDED] if has_goal else []),
            *notes,
        ],
    )


def _is_complete(row: Mapping[str, Any]) -> bool:
    """Return whether a figure follows from judgments of people on all that it is about."""
    return (
        row["low"] is not None and row["low"] == row["high"] and row["n_people"] == row["n_queries"]
    )
