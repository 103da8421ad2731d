"""Figures of systems over queries and repetitions, and their differences."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..statistics.inference import USUAL, Inference, mark_of
from ..statistics.repetitions import RepeatedMean, repeated_difference, repeated_mean
from ..vocabulary import LEVEL
from .evaluation import Result
from .repeats import Systems
from .scored_runs import COLUMNS, ScoredRuns

Row = dict[str, Any]
#: Measure, magnitude, cut-off.
View = tuple[str, str, int]
#: What rows have beside those of single runs.
FIGURE_COLUMNS = (
    "n_repetitions",
    "low",
    "high",
    "fixed_low",
    "fixed_high",
    "deviation",
    "share",
    "withheld",
)
DIFFERENCE_COLUMNS = (
    "baseline",
    "p",
    "p_corrected",
    "mark",
    "simultaneous_low",
    "simultaneous_high",
    "fixed_p",
)
REPEATED_COLUMNS = (*COLUMNS, *FIGURE_COLUMNS)
#: Those whose values are numbers, some of them undefined.
NUMBERS = tuple(
    name
    for name in ("value", *FIGURE_COLUMNS, *DIFFERENCE_COLUMNS)
    if name not in {"n_repetitions", "withheld", "baseline", "mark"}
)


@dataclass(frozen=True, eq=False)
class RepeatedRuns(ScoredRuns):
    """Results of single runs, and the table of their systems."""

    table: Sequence[Row] = ()

    def rows(self) -> list[Row]:
        """The table of `columns`."""
        return list(self.table)


#: The terms of differences that figures of repetitions take, by the names of `FigureTerms`.
TERMS = {"baseline", "family", "correction"}


def check_without(**options: object) -> None:
    """Raise `InputError` for options that figures of repetitions do not support."""
    for name, value in options.items():
        if value is not None and value is not False:
            raise InputError(
                f"figures over repetitions cannot be combined with {name}.",
                remedy=f"Leave out {name}, or repeats.",
            )


@dataclass(frozen=True, eq=False)
class Repeated:
    """The results of the repetitions of one system under one view, and their values together.

    `values` (Q, S): a row for each of `qids`, the queries that any of the results is about.
    """

    name: str
    results: Sequence[Result]
    qids: tuple[str, ...]
    values: NDArray[np.float64]

    @classmethod
    def of(cls, name: str, results: Sequence[Result]) -> "Repeated":
        """The values of the results side by side."""
        # All results of one call have the same queries (`Result.beside`).
        measured = set[str]().union(*(result.measured for result in results))
        qids = results[0].qids
        kept = [place for place, qid in enumerate(qids) if qid in measured]
        values = np.stack([result.per_query.value[kept] for result in results], axis=1)
        return cls(name, results, tuple(qids[place] for place in kept), values)

    def figure(self, level: float = LEVEL) -> RepeatedMean:
        """The mean over queries and repetitions."""
        return repeated_mean(self.values, level=level)

    def minus(self, other: "Repeated", level: float = LEVEL) -> RepeatedMean:
        """The difference, paired over the queries of both, each with repetitions of its own."""
        places = {qid: place for place, qid in enumerate(other.qids)}
        both = [(place, places[q]) for place, q in enumerate(self.qids) if q in places]
        ours, theirs = (list(rows) for rows in zip(*both, strict=True)) if both else ([], [])
        return repeated_difference(self.values[ours], other.values[theirs], level=level)

    def row(self, figure: RepeatedMean) -> Row:
        """The row of a figure of the system."""
        first = self.results[0].row()
        of = {result.population.of for result in self.results if result.population}
        return {
            **first,
            "run": self.name,
            "value": figure.value,
            "n_queries": figure.n,
            "n_queries_missing": len(self.qids) - figure.n,
            "n_docs_missing": sum(result.n_docs_missing for result in self.results),
            "population": min(of, default=""),
            "n_repetitions": len(self.results),
            **{name: getattr(figure, name) for name in FIGURE_COLUMNS[1:]},
        }


def repeated(results: Iterable[Result], systems: Systems) -> dict[View, list[Repeated]]:
    """The repetitions of each system, by measure, magnitude and cut-off."""
    by_view: dict[View, dict[str, Result]] = {}
    for result in results:
        view = (result.measure, result.magnitude, result.cutoff)
        by_view.setdefault(view, {})[result.run] = result
    return {
        view: [Repeated.of(system, [of[run] for run in runs]) for system, runs in systems.items()]
        for view, of in by_view.items()
    }


def repeated_rows(
    results: Sequence[Result],
    systems: Systems,
    *,
    baseline: str = "",
    inference: Inference = USUAL,
) -> list[Row]:
    """Rows of `REPEATED_COLUMNS`, system by system; then those of differences to a baseline.

    Differences have `DIFFERENCE_COLUMNS` too, p-values corrected over the family of `inference`.
    """
    views = repeated(results, systems)
    rows = [
        system.row(system.figure())
        for place in range(len(systems))
        for system in (of_view[place] for of_view in views.values())
    ]
    if not baseline:
        return rows
    if baseline not in systems:
        raise InputError(
            f"there is no system {baseline!r}, which should be the baseline.",
            remedy=f"Known: {', '.join(systems)}.",
        )
    no_difference = dict.fromkeys(DIFFERENCE_COLUMNS) | {"baseline": "", "mark": ""}
    return [row | no_difference for row in rows] + _differences(views, baseline, inference)


def _differences(
    views: Mapping[View, Sequence[Repeated]], baseline: str, inference: Inference
) -> list[Row]:
    is_own = inference.family == "measure+cutoff"
    together = {view: len(of_view) - 1 for view, of_view in views.items()}
    families: dict[View | None, list[Row]] = {}
    for view, of_view in views.items():
        base = next(system for system in of_view if system.name == baseline)
        n = together[view] if is_own else sum(together.values())
        for system in of_view:
            if system is base:
                continue
            figure = system.minus(base)
            wide = system.minus(base, 1 - (1 - LEVEL) / n)
            row = system.row(figure) | {
                "n_queries_missing": len({*system.qids, *base.qids}) - figure.n,
                "n_repetitions": figure.n_repetitions,
                "baseline": baseline,
                "p": figure.p,
                "fixed_p": figure.fixed_p,
                "simultaneous_low": wide.low,
                "simultaneous_high": wide.high,
            }
            families.setdefault(view if is_own else None, []).append(row)
    for family in families.values():
        corrected = inference.correct([row["p"] for row in family])
        for row, p in zip(family, corrected, strict=True):
            row |= {"p_corrected": p, "mark": mark_of(p)}
    return [row for family in families.values() for row in family]


def repeated_runs(
    scored: ScoredRuns,
    systems: Systems,
    odd: Sequence[str] = (),
    *,
    baseline: str = "",
    inference: Inference = USUAL,
) -> RepeatedRuns:
    """The figures of the systems that scored runs are repetitions of; `odd` is said with them."""
    return RepeatedRuns(
        scored.results,
        scored.notices,
        scored.provenance | {"systems": {system: list(own) for system, own in systems.items()}},
        (*REPEATED_COLUMNS, *(DIFFERENCE_COLUMNS if baseline else ())),
        [*odd, *scored.of_meeting],
        repeated_rows(scored.results, systems, baseline=baseline, inference=inference),
    )
