"""The cells of Sundararaman & Subramanian 2022, each beside the one that was computed."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from metrics.reports.formats.tables import Row

from .published import AVERAGE, published
from .tables import Table

#: The name of its file: too many rows for a page.
NAME = "published"
_COLUMNS = (
    *("table", "mode", "train_on", "tested_on", "value"),
    *("published", "computed", "difference"),
)
_SHARES = ("male", "female", "neutral")


class _Cell(NamedTuple):
    """A cell of a row of one of the tables; a number is None where there is none."""

    row: Row
    tested_on: object
    value: str
    published: object
    computed: object


def comparison_table(tables: Sequence[Table]) -> Table:
    """One row for each published number whose cell the other tables of a report have."""
    rows: list[Row] = [
        {
            "table": table.name,
            "mode": cell.row.get("mode", ""),
            "train_on": cell.row["train_on"],
            "tested_on": cell.tested_on,
            "value": cell.value,
            "published": cell.published,
            "computed": cell.computed,
            "difference": float(str(cell.computed)) - float(str(cell.published)),
        }
        for table in tables
        for cell in _cells(table)
        if cell.published is not None and cell.computed is not None
    ]
    return Table(NAME, "Beside the published values", _COLUMNS, rows)


def _cells(table: Table) -> Iterator[_Cell]:
    if table.name == "table3_preference":
        for row in table.rows:
            for share in _SHARES:
                yield _Cell(row, row["tested_on"], share, row[f"published_{share}"], row[share])
    elif table.name == "table6_reduction":
        for row in table.rows:
            # Below the rows of the models stands their mean.
            for name, number in published(6).get((str(row["train_on"]),), {}).items():
                value = name.replace("difference", "bias")
                yield _Cell(row, AVERAGE, value, number, row[value])
    else:
        theirs = {row["train_on"]: row for row in table.rows if row.get("values") == "published"}
        for row in table.rows:
            if row.get("values") == "ours" and row["train_on"] in theirs:
                for name in table.columns[2:]:
                    known = theirs[row["train_on"]][name]
                    yield _Cell(row, name, "accuracy", known, row[name])
