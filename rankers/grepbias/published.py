"""The tables of Sundararaman & Subramanian 2022 as they were published (`data/ss22_table*.csv`).

Tables 1, 2 and 5 are accuracies by training category (rows) and test category; 3 and 6 are
shares of preferred wordings. Averages include the training category in Tables 3 and 6 (six of the
seven rows of Table 3 reproduce only so), and leave it out in Tables 1, 2 and 5.
"""

import csv
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from statistics import fmean

_DATA = Path(__file__).parent / "data"
_NAMES = ("trained_on", "tested_on")
AVERAGE = "average"

Row = Mapping[str, float]


@cache
def published(table: int) -> dict[tuple[str, ...], Row]:
    """The numbers of a table by training category, for Table 3 by training and test category."""
    with (_DATA / f"ss22_table{table}.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    return {
        tuple(row[name] for name in _NAMES if name in row): {
            name: float(value) for name, value in row.items() if name not in _NAMES
        }
        for row in rows
    }


def published_bias() -> tuple[float, float]:
    """Mean |male - female| before and after debiasing, of Table 6: .1114 and .0571."""
    rows = published(6).values()
    before, after = (
        fmean(row[f"difference_{when}"] for row in rows) for when in ("before", "after")
    )
    return before, after
