"""Rows of one figure: by people alone, by the model alone, and corrected."""

import math
from functools import partial
from typing import Any

from ..statistics.few_labels import Figure, worth
from ..statistics.significance import MIN_QUERIES
from .judged_pairs import JudgedPairs
from .judged_queries import Figures, JudgedQueries, Key
from .judgments import Terms

Row = dict[str, Any]
FIGURE_COLUMNS = (
    "source",
    "target",
    "baseline",
    "low",
    "high",
    "n_people",
    "n_model",
    "worth",
    "unit",
    "p",
    "p_corrected",
    "mark",
    "simultaneous_low",
    "simultaneous_high",
    "partly_judged",
    "labels_needed",
    "withheld",
)
#: Limits of a measure with such a range.
_RANGES = {"[0, 1]": (0.0, 1.0), "[-1, 1]": (-1.0, 1.0)}


def three_rows(
    judged: JudgedQueries | JudgedPairs,
    key: Key,
    figures: Figures,
    terms: Terms,
    *,
    is_difference: bool = False,
) -> list[Row]:
    """The rows by people alone, by the model alone, and corrected."""
    people, model = judged.of_people[key].row(), judged.of_model[key].row()
    common = {
        "baseline": terms.baseline if is_difference else "",
        "unit": judged.unit,
        "partly_judged": judged.partly_judged,
    }
    n = figures.n_people
    alone, both = figures.people, figures.corrected
    row_of = partial(_of_figure, figures=figures, terms=terms, is_difference=is_difference)
    rows = [
        people | row_of(alone) | {"source": "people", "target": judged.target},
        model | NO_FIGURE | {"source": "model", "value": figures.model, "n_people": 0},
        model | row_of(both) | {"source": "corrected", "target": judged.target},
    ]
    rows[0] |= {"n_model": 0, "worth": None if alone is None else 1.0}
    rows[1] |= {"n_model": figures.n_model, "partly_judged": ""}
    if alone is not None and both is not None:
        rows[2]["worth"] = worth(alone, both, figures.n_model)
    if judged.unit == "query":
        missing = int(people["n_queries"]) + int(people["n_queries_missing"]) - n  # type: ignore[call-overload]
        rows[0] |= {"n_queries": n, "n_queries_missing": missing}
    return [row | common for row in rows]


def keep_within(row: Row, range_: str) -> None:
    """Clip the values of the row to the measure's range."""
    least, most = _RANGES.get(range_, (-math.inf, math.inf))
    ends = ("low", "high", "simultaneous_low", "simultaneous_high", "fixed_low", "fixed_high")
    for name in ("value", *ends):
        if row.get(name) is not None:
            row[name] = min(max(row[name], least), most)


NO_FIGURE: Row = dict.fromkeys(FIGURE_COLUMNS) | dict.fromkeys(
    ("target", "mark", "partly_judged", "withheld"), ""
)


def _of_figure(
    figure: Figure | None, *, figures: Figures, terms: Terms, is_difference: bool
) -> Row:
    counts = {"n_people": figures.n_people, "n_model": figures.n_model}
    if figure is None:
        return NO_FIGURE | counts | {"value": None, "withheld": figures.why}
    row = NO_FIGURE | counts | {"value": figure.value, "withheld": figure.withheld}
    if figure.low is None:
        return row
    row |= {"low": figure.low, "high": figure.high}
    if is_difference and not terms.every_look:
        row["p"] = figure.p
    row["labels_needed"] = terms.labels_needed(figure, figures.n_model, MIN_QUERIES)
    return row
