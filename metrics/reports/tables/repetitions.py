"""Systems over queries and repetitions: the mean, both intervals, the deviation and the share."""

from collections.abc import Mapping, Sequence
from typing import Any

from ...results.evaluation import Result
from ...results.repeated import repeated, repeated_rows
from ...results.repeats import Systems
from ...statistics.inference import USUAL, Inference
from ...statistics.repetitions import MIN_REPETITIONS
from ...vocabulary import INTERVAL
from ..formats.layout import MARKS_NOTE, Column, Table
from ..formats.tables import DIGITS
from ..plots.plots import DrawnPlot
from ..plots.repetitions import Seeds, seeds_figure
from ..results import magnitude_title

Row = Mapping[str, Any]

MEANING = (
    "Means over queries and repetitions, with the standard deviation of the means of the "
    f"repetitions. The {INTERVAL} is of all queries and all repetitions like these (none below "
    f"{MIN_REPETITIONS} repetitions); the one with repetitions fixed is of these very models."
)


def view_title(row: Row) -> str:
    """The measure of a row in words."""
    how = f" ({magnitude_title(str(row['magnitude']))})" if row["magnitude"] else ""
    at = "" if row["cutoff"] is None else f"@{row['cutoff']}"
    return f"{row['measure']}{at}{how}"


def marks_of(baseline: str, inference: Inference) -> str:
    """The meaning of marks of differences; "" without a baseline."""
    if not baseline:
        return ""
    correction = inference.correction.capitalize()
    return (
        f"{MARKS_NOTE}, of the difference from {baseline}: paired over queries, repetitions drawn "
        f"for each system, {correction}'s correction."
    )


def repetitions_table(rows: Sequence[Row], notes: Sequence[str]) -> Table:
    """The rows of `repeated_rows`, differences to a baseline as marks of the systems' values."""
    p_of = {
        (row["run"], view_title(row)): row["p_corrected"] for row in rows if row.get("baseline")
    }
    table = [
        {
            "measure": view_title(row),
            "run": row["run"],
            **{name: row[name] for name in ("value", "deviation", "low", "high", "share")},
            "p": p_of.get((row["run"], view_title(row))),
            **{name: row[name] for name in ("fixed_low", "fixed_high", "n_repetitions")},
            "n_queries": row["n_queries"],
        }
        for row in rows
        if not row.get("baseline")
    ]
    order = list(dict.fromkeys(row["measure"] for row in table))
    table.sort(key=lambda row: order.index(row["measure"]))
    drawn, fixed = "Both drawn", "Repetitions fixed"
    return Table(
        name="repetitions",
        title="Systems over queries and repetitions.",
        columns=[
            Column("measure", "Measure"),
            Column("run", "System"),
            Column("value", "Mean", digits=DIGITS),
            Column("deviation", "", change=True, kind="deviation"),
            *([Column("p", "", change=True, kind="p")] if p_of else []),
            Column("low", "low", drawn, digits=DIGITS),
            Column("high", "high", drawn, digits=DIGITS),
            Column("fixed_low", "low", fixed, digits=DIGITS),
            Column("fixed_high", "high", fixed, digits=DIGITS),
            Column("share", "Share"),
            Column("n_repetitions", "Repetitions"),
            Column("n_queries", "Queries"),
        ],
        rows=table,
        notes=[MEANING, "Share: the part of the variance that repetitions have.", *notes],
        block="measure",
    )


def repetitions_parts(
    results: Sequence[Result], systems: Systems, *, baseline: str = "", inference: Inference = USUAL
) -> tuple[Table, DrawnPlot]:
    """The table of the systems, and the picture with a dot for each repetition."""
    rows = repeated_rows(results, systems, baseline=baseline, inference=inference)
    table = repetitions_table(rows, [*filter(None, [marks_of(baseline, inference)])])
    seeds = seeds_of(results, systems)
    plot = DrawnPlot(
        "repetitions_figure",
        "Systems with a dot for each repetition: thin bars with repetitions drawn, thick ones with "
        "these very repetitions.",
        lambda: seeds_figure(seeds, y_label="mean over the queries"),
        [
            {"measure": system.panel, "system": system.system, "value": dot}
            for system in seeds
            for dot in system.dots
        ],
        ("measure", "system", "value"),
    )
    return table, plot


def seeds_of(results: Sequence[Result], systems: Systems) -> list[Seeds]:
    """The means of the repetitions of each system, for the picture."""
    drawn = []
    for (measure, magnitude, cutoff), of_view in repeated(results, systems).items():
        view = {"measure": measure, "magnitude": magnitude, "cutoff": cutoff}
        for system in of_view:
            figure, means = system.figure(), [result.value for result in system.results]
            if figure.value is None:
                continue
            drawn.append(
                Seeds(
                    view_title(view),
                    system.name,
                    [mean for mean in means if mean is not None],
                    figure.value,
                    _ends(figure.low, figure.high),
                    _ends(figure.fixed_low, figure.fixed_high),
                )
            )
    return drawn


def _ends(low: float | None, high: float | None) -> tuple[float, float] | None:
    return None if low is None or high is None else (low, high)
