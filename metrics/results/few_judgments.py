"""Figures of runs from few judgments of people and many of a model: beside each other, and as one.

A measure that reads judgments has three rows: by people alone, by the model alone, and corrected,
which is of all that the model judged and whose interval holds whatever the model is worth
(`metrics.statistics.few_labels`). A measure that reads none is given once.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ..errors import InputError
from ..measures import get
from ..measures.base import Qrels
from ..statistics.inference import mark_of
from .evaluation import Request, Result
from .figure_rows import FIGURE_COLUMNS, NO_FIGURE, Row, keep_within, three_rows
from .judged_pairs import JudgedPairs
from .judged_queries import JudgedQueries, Key, key_of
from .judgments import Judgments, Kind, Terms, check_baseline
from .scored_runs import COLUMNS, OpenRuns

JUDGED_COLUMNS: tuple[str, ...] = (*COLUMNS, *FIGURE_COLUMNS)
#: Those whose values are numbers, some of them undefined.
FIGURE_NUMBERS: tuple[str, ...] = (
    *("value", "low", "high", "worth", "p", "p_corrected", "simultaneous_low"),
    *("simultaneous_high", "labels_needed"),
)


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
        rows |= rows_within(judged, own, terms)
        if terms.baseline:
            differences += differences_of(judged, terms)
        if judgment.kind == "passages" and opened.magnitudes is not None:
            for result in _by_words(opened, own, judged.pool):
                rows[key_of(result)].insert(0, _once(result, "list"))
    others = [request for request in requests if not kinds & request.measure.needs]
    if others:
        rows |= rows_once(opened, others, single)
    order = [
        (run.name, request.label, request.magnitude, cutoff)
        for run in opened.runs
        for request in requests
        for cutoff in request.cutoffs
    ]
    table = [*(row for key in order for row in rows[key]), *with_marks(differences, terms)]
    return table, [*notices, *_out_of_reach(table, terms)]


def rows_within(
    judged: JudgedQueries | JudgedPairs, requests: Sequence[Request], terms: Terms
) -> dict[Key, list[Row]]:
    """Return the three rows of each figure; no interval leaves the range of its measure."""
    ranges = {request.label: request.measure.definition.range for request in requests}
    rows = {key: three_rows(judged, key, judged.figures(key), terms) for key in judged.of_model}
    for key, three in rows.items():
        for row in three:
            keep_within(row, ranges[key[1]])
    return rows


def _out_of_reach(rows: Sequence[Row], terms: Terms) -> Iterator[str]:
    """Say that no number of judged queries of this pool gives so narrow intervals."""
    if not terms.half_width or terms.design is None or not terms.design.is_simple:
        return
    wide = [
        row
        for row in rows
        if row["source"] == "corrected"
        and row["low"] is not None
        and row["labels_needed"] is None
        and row["n_people"] < row["n_model"]
    ]
    if wide:
        yield (
            f"for {len(wide):,} figures no number of judged queries gives plus or minus "
            f"{terms.half_width:g}. Use a larger pool, or ask for figures of this pool alone."
        )


def differences_of(
    judged: JudgedQueries | JudgedPairs, terms: Terms, *, settles: bool = False
) -> list[Row]:
    """The rows of the differences to the baseline, with intervals that hold over their family.

    Where it `settles` them, `labels_needed` is for intervals that would not hold 0, unless the
    terms name a half width.
    """
    keys = [key for key in judged.of_model if key[0] != terms.baseline]
    is_own = terms.inference.family == "measure+cutoff"
    rows = []
    for key in keys:
        together = sum(not is_own or other[1:] == key[1:] for other in keys)
        figures = judged.figures(key, terms.baseline)
        half_width = terms.half_width
        if settles and half_width is None and figures.corrected is not None:
            half_width = abs(figures.corrected.value) or None
        three = three_rows(
            judged, key, figures, replace(terms, half_width=half_width), is_difference=True
        )
        wide = judged.figures(key, terms.baseline, together)
        for row, figure in ((three[0], wide.people), (three[2], wide.corrected)):
            if figure is not None and not terms.every_look:
                row |= {"simultaneous_low": figure.low, "simultaneous_high": figure.high}
        rows += three
    return rows


def rows_once(
    opened: OpenRuns, requests: Sequence[Request], single: Mapping[str, Qrels | None]
) -> dict[Key, list[Row]]:
    """The rows of measures that read no second kind of judgments."""
    sources = {
        (request.label, request.magnitude): source_of(request.measure.needs) for request in requests
    }
    rows = {
        key_of(result): [_once(result, sources[result.measure, result.magnitude])]
        for result in opened.measure(requests, None, **single)
    }
    if (labelled := single.get("passages")) and opened.magnitudes is not None:
        for result in _by_words(opened, requests, opened.judged(labelled)):
            rows[key_of(result)].insert(0, _once(result, "list"))
    return rows


def with_marks(rows: list[Row], terms: Terms) -> list[Row]:
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


def _once(result: Result, source: str) -> Row:
    return result.row() | NO_FIGURE | {"source": source, "baseline": "", "unit": ""}


def source_of(needs: Collection[str]) -> str:
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
                f"figures of people and a model cannot be combined with {name}.",
                remedy=f"Leave out {name}, or the model's judgments.",
            )
