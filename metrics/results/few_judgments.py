"""Figures of runs from few judgments of people and many of a model: beside each other, and as one.

A measure that reads judgments has three rows: by people alone, by the model alone, and corrected,
which is of all that the model judged and whose interval holds whatever the model is worth
(`metrics.statistics.few_labels`). A measure that reads none is given once.
"""

import math
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from ..errors import InputError
from ..measures import get
from ..measures.base import Qrels
from ..statistics.few_labels import MIN_QUERIES, Figure, labels_needed
from ..statistics.inference import mark_of
from .evaluation import Request, Result
from .judged_pairs import JudgedPairs
from .judged_queries import Figures, JudgedQueries, Key, key_of
from .judgments import Judgments, Kind, Terms, check_baseline
from .scored_runs import COLUMNS, OpenRuns

Row = dict[str, Any]
FIGURE_COLUMNS = (
    "source",
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
    "labels_needed",
    "withheld",
)
JUDGED_COLUMNS = (*COLUMNS, *FIGURE_COLUMNS)
#: Limits of a measure with such a range.
_RANGES = {"[0, 1]": (0.0, 1.0), "[-1, 1]": (-1.0, 1.0)}
#: Those whose values are numbers, some of them undefined.
FIGURE_NUMBERS = ("value", "low", "high", "worth", "p", "p_corrected", "labels_needed")


@dataclass(frozen=True, eq=False)
class JudgedRuns:
    """The table of runs that people and a model judged, and its provenance."""

    table: list[Row]
    notices: tuple[str, ...]
    provenance: dict[str, Any]
    columns: tuple[str, ...] = JUDGED_COLUMNS
    remarks: tuple[str, ...] = ()

    def rows(self) -> list[Row]:
        """The table of `columns`."""
        return self.table


def judgments_of(
    people: Mapping[str, Qrels | None], model: Mapping[Kind, Qrels | None]
) -> list[Judgments]:
    """The kinds of judgments that people and a model both gave; none where no model did.

    `InputError` for those of a model alone.
    """
    judgments = []
    for kind, of_model in model.items():
        of_people = people[kind]
        if of_model is not None and of_people is None:
            raise InputError(
                f"judge_{kind} without {kind}: a model's judgments alone give no interval.",
                remedy=f"Give those of people as {kind}, or the model's as {kind} for its figures.",
            )
        if of_model is not None and of_people is not None:
            judgments.append(Judgments(kind, of_people, of_model))
    return judgments


def judged_rows(
    opened: OpenRuns,
    requests: Sequence[Request],
    judgments: Sequence[Judgments],
    terms: Terms,
    single: Mapping[str, Qrels | None],
) -> tuple[list[Row], list[str]]:
    """Rows of `JUDGED_COLUMNS`, and what is to be said of them.

    `single`: judgments of which there is one kind, by their names in `OpenRuns.measure`. The rows
    come run by run, then those of the differences of each run to the baseline.
    """
    check_baseline(opened, terms.baseline)
    rows: dict[Key, list[Row]] = {}
    differences: list[Row] = []
    notices: list[str] = []
    kinds = {judgment.kind for judgment in judgments}
    for judgment in judgments:
        own = [request for request in requests if judgment.kind in request.measure.needs]
        if not own:
            continue
        pairs = terms.design is not None and terms.design.unit == "pair"
        judged = (JudgedPairs if pairs else JudgedQueries)(opened, own, judgment, terms)
        notices += judged.notices
        ranges = {request.label: request.measure.definition.range for request in own}
        for key in judged.of_model:
            rows[key] = _three(judged, key, judged.figures(key), terms)
            for row in rows[key]:
                _keep_within(row, ranges[key[1]])
        if terms.baseline:
            differences += [
                row
                for key in judged.of_model
                if key[0] != terms.baseline
                for row in _three(
                    judged, key, judged.figures(key, terms.baseline), terms, is_difference=True
                )
            ]
        if judgment.kind == "passages" and opened.magnitudes is not None:
            for result in _by_words(opened, own, judged.pool):
                rows[key_of(result)].insert(0, _once(result, "list"))
    others = [request for request in requests if not kinds & request.measure.needs]
    if others:
        rows |= _rows_once(opened, others, single)
    order = [
        (run.name, request.label, request.magnitude, cutoff)
        for run in opened.runs
        for request in requests
        for cutoff in request.cutoffs
    ]
    return [*(row for key in order for row in rows[key]), *_with_marks(differences, terms)], notices


def _rows_once(
    opened: OpenRuns, requests: Sequence[Request], single: Mapping[str, Qrels | None]
) -> dict[Key, list[Row]]:
    """The rows of measures that read no second kind of judgments."""
    sources = {
        (request.label, request.magnitude): _source(request.measure.needs) for request in requests
    }
    rows = {
        key_of(result): [_once(result, sources[result.measure, result.magnitude])]
        for result in opened.measure(requests, None, **single)
    }
    if (labelled := single.get("passages")) and opened.magnitudes is not None:
        for result in _by_words(opened, requests, opened.judged(labelled)):
            rows[key_of(result)].insert(0, _once(result, "list"))
    return rows


def _with_marks(rows: list[Row], terms: Terms) -> list[Row]:
    """The rows of differences with p-values that are corrected over their families."""
    families: dict[tuple[object, ...], list[Row]] = {}
    for row in rows:
        view = (row["measure"], row["magnitude"], row["cutoff"])
        is_own = terms.inference.family == "measure+cutoff"
        families.setdefault((row["source"], view if is_own else None), []).append(row)
    for family in families.values():
        corrected = terms.inference.correct([row["p"] for row in family])
        for row, p in zip(family, corrected, strict=True):
            row |= {"p_corrected": p, "mark": mark_of(p)}
    return rows


def _three(
    judged: JudgedQueries | JudgedPairs,
    key: Key,
    figures: Figures,
    terms: Terms,
    *,
    is_difference: bool = False,
) -> list[Row]:
    """The rows by people alone, by the model alone, and corrected."""
    people, model = judged.of_people[key].row(), judged.of_model[key].row()
    common = {"baseline": terms.baseline if is_difference else "", "unit": judged.unit}
    n = figures.n_people
    alone, both = figures.people, figures.corrected
    row_of = partial(_of_figure, figures=figures, terms=terms, is_difference=is_difference)
    rows = [
        people | row_of(alone) | {"source": "people"},
        model | _EMPTY | {"source": "model", "value": figures.model, "n_people": 0},
        model | row_of(both) | {"source": "corrected"},
    ]
    rows[0] |= {"n_model": 0, "worth": None if alone is None else 1.0}
    rows[1]["n_model"] = figures.n_model
    if alone is not None and both is not None and both.standard_error:
        rows[2]["worth"] = (alone.standard_error / both.standard_error) ** 2
    if judged.unit == "query":
        missing = int(people["n_queries"]) + int(people["n_queries_missing"]) - n  # type: ignore[call-overload]
        rows[0] |= {"n_queries": n, "n_queries_missing": missing}
    return [row | common for row in rows]


def _keep_within(row: Row, range_: str) -> None:
    """Clip the values of the row to the measure's range."""
    least, most = _RANGES.get(range_, (-math.inf, math.inf))
    for name in ("value", "low", "high"):
        if row[name] is not None:
            row[name] = min(max(row[name], least), most)


_EMPTY: Row = dict.fromkeys(FIGURE_COLUMNS) | {"mark": "", "withheld": ""}


def _of_figure(
    figure: Figure | None, *, figures: Figures, terms: Terms, is_difference: bool
) -> Row:
    counts = {"n_people": figures.n_people, "n_model": figures.n_model}
    if figure is None:
        return _EMPTY | counts | {"value": None, "withheld": figures.why}
    row = _EMPTY | counts | {"value": figure.value, "withheld": figure.withheld}
    if figure.low is None:
        return row
    row |= {"low": figure.low, "high": figure.high}
    if is_difference and not terms.every_look:
        row["p"] = figure.p
    is_simple = terms.design is not None and terms.design.is_simple
    if terms.half_width and is_simple and figure.n < figures.n_model and terms.target == "pool":
        needed = labels_needed(figure, terms.half_width, figures.n_model)
        row["labels_needed"] = min(max(needed, MIN_QUERIES), figures.n_model)
    return row


def _once(result: Result, source: str) -> Row:
    return result.row() | _EMPTY | {"source": source, "baseline": "", "unit": ""}


def _source(needs: Collection[str]) -> str:
    """Return the source of a measure that reads no second kind of judgments."""
    if not {"qrels", "passages"}.isdisjoint(needs):
        return "people"
    if not {"magnitudes", "categories"}.isdisjoint(needs):
        return "list"
    return "labels" if "labels" in needs else ""


def _by_words(
    opened: OpenRuns, requests: Sequence[Request], pool: tuple[str, ...]
) -> Iterator[Result]:
    """Measure the same bias of passages with the labels of the word list."""
    for request in requests:
        if request.measure.name != "LabelRaB":
            continue
        words = Request(
            request.label, get("RaB(magnitude=bool)").definition(magnitude="bool"), request.cutoffs
        )
        for result in opened.measure([words], pool):
            yield replace(result, measure=request.label, magnitude=request.magnitude)


def check_alone(**options: object) -> None:
    """Raise `InputError` for options that figures of few judgments do not support."""
    for name, value in options.items():
        if value:
            raise InputError(
                f"figures of people and a model do not go with {name}.",
                remedy=f"Leave out {name}, or the model's judgments.",
            )
