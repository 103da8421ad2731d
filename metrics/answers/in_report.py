"""The chain of retrieved documents and answers in a report: its table and its picture."""

from collections.abc import Sequence

from ..reports.formats.layout import Column, Table
from ..reports.formats.tables import DIGITS
from ..reports.plots.plots import DrawnPlot
from .picture import chain_figure
from .rows import COLUMNS, Row

_BANDS = (
    "The bands of a step are mean shares over queries. Between two steps, the picture shows "
    "each group's change in percentage points with its interval, over queries that have both; "
    "withheld changes are not shown."
)
_READ = (
    "Look at the counts first: citations that the list does not have, documents without a "
    "group, answers without a citation. The discounted share weighs ranks, but citations have "
    "no ranks: if groups differ by rank, it changes although nobody prefers a group."
)


def chain_table(rows: Sequence[Row]) -> Table:
    """Each figure of the chain of each system, the counts last."""
    return Table(
        name="chain",
        title="From retrieved to answered: groups among documents and in the words of answers.",
        columns=[
            Column("run", "System"),
            Column("figure", "Figure"),
            Column("step", "Step"),
            Column("group", "Group"),
            Column("value", "Value", digits=DIGITS),
            Column("low", "Low", digits=DIGITS),
            Column("high", "High", digits=DIGITS),
            Column("n_queries", "Queries"),
            Column("known", "Known", digits=2),
            Column("withheld", "Withheld"),
        ],
        rows=[{name: _value(row, name) for name in COLUMNS} for row in rows],
        notes=[_READ],
        block="figure",
        detail=True,
    )


def chain_plot(rows: Sequence[Row]) -> DrawnPlot:
    """The groups as bands from step to step."""
    return DrawnPlot(
        name="chain_bands",
        title="From retrieved to answered: each group's share at every step.",
        draw=lambda: chain_figure(rows),
        rows=[row for row in rows if row["figure"] in {"share", "change"}],
        columns=COLUMNS,
        notes=[_BANDS],
    )


def _value(row: Row, name: str) -> str | int | float | None:
    value = row[name]
    if name == "value" and row["figure"] == "count" and isinstance(value, float):
        return int(value)
    return value if isinstance(value, str | int | float) else None
