"""Distribution of the values over the queries: intervals, quartiles, boxes, every value."""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ...statistics.significance import WITHHELD_NOTE, mean_interval
from ...vocabulary import INTERVAL
from ..formats.layout import Column, Table, Value
from ..formats.tables import to_csv
from ..plots.figures import Spread
from ..plots.plots import BoxPlot
from ..results import MEANS_NOTE, Results, magnitude_title

#: Description of intervals of means in a table.
INTERVALS_NOTE = f"Student's t over queries; {WITHHELD_NOTE}."
_QUARTILES = (0.0, 0.25, 0.5, 0.75, 1.0)
_QUARTILE_NAMES = ("least", "q1", "median", "q3", "greatest")


def distribution_table(results: Results, cutoff: int, notes: Sequence[str]) -> Table:
    """The mean of each measure with its interval, and how the queries spread."""
    views = [(m, g, run) for m, g in measured_at(results, cutoff) for run in results.runs]
    rows: list[dict[str, Value]] = [
        {
            "measure": measure_title(m, g),
            "run": run,
            **_spread(_known(results.per_query(run, m, cutoff, g))),
        }
        for m, g, run in views
    ]
    columns = [
        Column("measure", "Measure"),
        Column("run", "Model"),
        Column("mean", "Mean"),
        Column("low", "low", INTERVAL),
        Column("high", "high", INTERVAL),
        Column("sd", "s.d."),
        *(Column(name, name, "Over queries") for name in _QUARTILE_NAMES),
        Column("n_negative", "< 0", "Queries"),
        Column("n_zero", "= 0", "Queries"),
        Column("n_positive", "> 0", "Queries"),
    ]
    how = f"{INTERVALS_NOTE} s.d. is the standard deviation over queries."
    return Table(
        name="distributions",
        title=f"Values over the queries at cut-off {cutoff}.",
        columns=columns,
        rows=rows,
        detail=True,
        notes=[how, MEANS_NOTE, *notes],
        block="measure",
    )


def measured_at(results: Results, cutoff: int) -> list[tuple[str, str]]:
    """Measures with their magnitude, as far as they were measured at this cut-off."""
    measures = [(r.measure, r.magnitude) for r in results.all if r.cutoff == cutoff]
    return list(dict.fromkeys(measures))


def measure_title(measure: str, magnitude: str) -> str:
    """`RaB (TF)`, or the measure alone where it has no magnitude."""
    return f"{measure} ({magnitude_title(magnitude)})" if magnitude else measure


def _known(values: NDArray[np.float64] | None) -> NDArray[np.float64]:
    return np.array([]) if values is None else values[~np.isnan(values)]


def _spread(known: NDArray[np.float64]) -> dict[str, Value]:
    interval, some = mean_interval(known), len(known) > 0
    quartiles = np.quantile(known, _QUARTILES).tolist() if some else [None] * len(_QUARTILES)
    return {
        "mean": interval.value,
        "low": interval.low,
        "high": interval.high,
        "sd": float(known.std(ddof=1)) if len(known) > 1 else None,
        **dict(zip(_QUARTILE_NAMES, quartiles, strict=True)),
        "n_negative": int((known < 0).sum()),
        "n_zero": int((known == 0).sum()),
        "n_positive": int((known > 0).sum()),
    }


def distribution_plot(
    results: Results, panels: Sequence[tuple[str, str]], cutoff: int, notes: Sequence[str]
) -> BoxPlot:
    """A box per model: median, quartiles, whiskers of 1.5 times their distance, the rest dots."""
    spreads = []
    for measure, magnitude in panels:
        for run in results.models:
            values = results.per_query(run, measure, cutoff, magnitude)
            known = [] if values is None else values[~np.isnan(values)].tolist()
            spreads.append(Spread(measure_title(measure, magnitude), run, known))
    return BoxPlot(
        name="distributions_figure",
        title=f"Values per query at cut-off {cutoff}.",
        spreads=spreads,
        x_label="value of a query",
        notes=[
            "Box: median and quartiles; whiskers: 1.5 times their distance; dots: beyond.",
            *notes,
        ],
    )


def per_query_csv(results: Results, cutoff: int) -> str:
    """Every value at this cut-off, `run,qid,measure,magnitude,cutoff,value`; undefined is empty."""
    columns = ("run", "qid", "measure", "magnitude", "cutoff", "value")
    rows = [
        dict(zip(columns, (r.run, qid, r.measure, r.magnitude, cutoff, value), strict=True))
        for r in results.all
        if r.cutoff == cutoff
        for qid, value in zip(r.qids, _defined(r.per_query.value), strict=True)
    ]
    return to_csv(rows, columns)


def _defined(values: NDArray[np.float64]) -> list[float | None]:
    return [None if np.isnan(value) else value for value in values.tolist()]
