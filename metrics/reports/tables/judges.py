"""Figures under several judges beside each other, with judges as drawn."""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ...measures.base import Qrels
from ...results.judges import ALONE, judges_rows
from ...results.judgments import Terms, by_judge, judges_in
from ...results.scored_runs import open_runs
from ...runs import Order
from ...runs.queries import Queries
from ...statistics.repetitions import MIN_REPETITIONS
from ...texts.magnitude_store import Magnitudes
from ...vocabulary import Missing
from ..formats.layout import Column, Table, Value
from ..formats.tables import DIGITS
from ..plots.plots import DrawnPlot
from ..plots.repetitions import Slope, slopes_figure
from .judged import judged_requests, name_of

_SHOWN = (
    *("measure", "cutoff", "source", "judge", "value", "low", "high", "fixed_low", "fixed_high"),
    *("p", "p_corrected", "mark", "holds", "n_judges", "agreement", "n_queries"),
    *("labels_needed", "withheld"),
)
_MEANING = (
    "Judge: by this judge alone. Judges: the mean over queries and judges, with the interval where "
    f"both are drawn (none below {MIN_REPETITIONS} judges); fixed: for these very judges. Holds: "
    "under so many judges the difference has its sign. Agreement: Krippendorff's ordinal alpha of "
    "the grades of documents that two judges or more judged."
)
_CORRECTED = (
    "Corrected: this judge, corrected by people's judgments of a part. Needed: queries that people "
    "would judge in all for an interval of the difference that does not hold 0."
)


def judges_parts(
    paths: Mapping[str, Path],
    magnitudes: Magnitudes,
    people: Qrels | None,
    judges: Mapping[str, Qrels],
    terms: Terms,
    *,
    cutoff: int,
    relevant: int,
    queries: Queries | None,
    order: Order,
    missing: Missing,
) -> tuple[Table, DrawnPlot]:
    """The table of the judges at the cut-off, and the picture of the runs over them."""
    requests = judged_requests(["qrels"], cutoff, relevant)
    opened = open_runs(
        dict(paths),
        magnitudes,
        requests,
        queries=queries,
        order=order,
        missing=missing,
        judgments={"qrels": people, **by_judge(judges)},
    )
    met = opened.judgments
    rows, notices = judges_rows(opened, requests, judges_in(met), terms, met["qrels"])
    return _table(rows, notices), _plot(rows, cutoff)


def _table(rows: Sequence[Mapping[str, Any]], notices: Sequence[str]) -> Table:
    table_rows: list[Mapping[str, Value]] = [
        {
            "run": name_of(row),
            **{name: row[name] for name in _SHOWN},
        }
        for row in rows
    ]
    is_corrected = any(row["source"] == "corrected" for row in rows)
    both, fixed = "Both drawn", "Judges fixed"
    return Table(
        name="judges",
        title="Figures under several judges.",
        columns=[
            Column("run", "Model"),
            Column("measure", "Measure"),
            Column("cutoff", "Cut-off"),
            Column("source", "By"),
            Column("judge", "Judge"),
            Column("value", "Value", digits=DIGITS),
            Column("low", "Low", both, digits=DIGITS),
            Column("high", "High", both, digits=DIGITS),
            Column("fixed_low", "Low", fixed, digits=DIGITS),
            Column("fixed_high", "High", fixed, digits=DIGITS),
            Column("p", "p", kind="p"),
            Column("p_corrected", "corrected", kind="p"),
            Column("mark", "Mark"),
            Column("holds", "Holds"),
            Column("n_judges", "Judges"),
            Column("agreement", "Agreement"),
            Column("n_queries", "Queries"),
            *([Column("labels_needed", "Needed")] if is_corrected else []),
            Column("withheld", "Withheld"),
        ],
        rows=table_rows,
        notes=[_MEANING, *([_CORRECTED] if is_corrected else []), *notices],
    )


def _plot(rows: Sequence[Mapping[str, Any]], cutoff: int) -> DrawnPlot:
    own = [row for row in rows if row["source"] == ALONE and not row["baseline"]]
    panels: dict[tuple[str, str], list[Mapping[str, Any]]] = {}
    for row in own:
        panels.setdefault((f"{row['measure']} at {cutoff}", row["run"]), []).append(row)
    slopes = [
        Slope(panel, run, [row["judge"] for row in of_run], [row["value"] for row in of_run])
        for (panel, run), of_run in panels.items()
    ]
    return DrawnPlot(
        "judges_figure",
        "The models under each judge: where lines cross, judges disagree about which is better.",
        lambda: slopes_figure(slopes, y_label="mean over the queries"),
        own,
        ("run", "measure", "cutoff", "judge", "value"),
    )
