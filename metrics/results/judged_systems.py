"""Figures of few judgments of systems that several runs are repetitions of."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import chain

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..measures.base import PerQuery, Qrels, Sides
from ..statistics.repetitions import with_repetitions
from .evaluation import Request, Result
from .few_judgments import JUDGED_COLUMNS, differences_of, rows_within, source_of, with_marks
from .figure_rows import NO_FIGURE, Row
from .judged_queries import Figures, JudgedQueries, Key
from .judgments import Judgments, Terms
from .repeated import repeated
from .repeats import Systems
from .scored_runs import OpenRuns

Array = NDArray[np.float64]
#: Those of single runs, and how many repetitions a system has.
SYSTEM_COLUMNS: tuple[str, ...] = (*JUDGED_COLUMNS, "n_repetitions")


class JudgedSystems(JudgedQueries):
    """The figures of systems: each query has the mean over the repetitions of a system.

    How far repetitions lie apart is seen in people's queries, and widens each interval.
    """

    def __init__(
        self,
        opened: OpenRuns,
        requests: Sequence[Request],
        judgments: Judgments,
        terms: Terms,
        systems: Systems,
    ) -> None:
        if terms.design is not None and terms.design.unit == "pair":
            raise InputError(
                "repetitions cannot be combined with judged pairs: they need the values of "
                "whole queries.",
                remedy="Leave out repeats, or measure each run.",
            )
        super().__init__(opened, requests, judgments, terms)
        #: Of people's queries, by system and view: (Q, S).
        self._tables: dict[Key, Array] = {}
        self._there = {
            system: np.all([self._there[run] for run in runs], axis=0)
            for system, runs in systems.items()
        }
        of_people = self._by_system(self.of_people, systems)
        self._tables = {key: table for key, (_, table) in of_people.items()}
        self.of_people = {key: result for key, (result, _) in of_people.items()}
        of_model = self._by_system(self.of_model, systems)
        self.of_model = {key: result for key, (result, _) in of_model.items()}

    def figures(self, key: Key, baseline: str = "", together: int = 1) -> Figures:
        """The figure of a system, or its difference to the baseline, repetitions drawn."""
        figures = super().figures(key, baseline, together)
        tables = [self._tables[key]]
        if baseline:
            tables.append(self._tables[baseline, key[1], key[2], key[3]])
        people, corrected = (
            None if figure is None else with_repetitions(figure, tables)
            for figure in (figures.people, figures.corrected)
        )
        return replace(figures, people=people, corrected=corrected)

    @staticmethod
    def _by_system(
        results: Mapping[Key, Result], systems: Systems
    ) -> dict[Key, tuple[Result, Array]]:
        views = dict.fromkeys(key[1:] for key in results)
        joined: dict[Key, tuple[Result, Array]] = {}
        for system, runs in systems.items():
            for view in views:
                own = [results[run, view[0], view[1], view[2]] for run in runs]
                table = np.stack([result.per_query.value for result in own], axis=1)
                values = PerQuery(table.mean(axis=1), Sides({}))
                result = replace(
                    own[0],
                    run=system,
                    per_query=values,
                    n_docs_missing=sum(each.n_docs_missing for each in own),
                )
                joined[system, view[0], view[1], view[2]] = result, table
        return joined


def judged_system_rows(
    opened: OpenRuns,
    requests: Sequence[Request],
    judgments: Sequence[Judgments],
    terms: Terms,
    single: Mapping[str, Qrels | None],
    *,
    systems: Systems,
) -> tuple[list[Row], list[str]]:
    """Rows of `SYSTEM_COLUMNS` as `judged_rows` gives them, of systems in the place of runs.

    A measure that reads no second kind of judgments has the interval of `repeated_rows`.
    """
    if terms.baseline and terms.baseline not in systems:
        raise InputError(
            f"there is no system {terms.baseline!r}, which should be the baseline.",
            remedy=f"Known: {', '.join(systems)}.",
        )
    rows: list[Row] = []
    differences: list[Row] = []
    notices: list[str] = []
    kinds = {judgment.kind for judgment in judgments}
    for judgment in judgments:
        own = [request for request in requests if judgment.kind in request.measure.needs]
        if not own:
            continue
        judged = JudgedSystems(opened, own, judgment, terms, systems)
        notices += judged.notices
        rows += chain.from_iterable(rows_within(judged, own, terms).values())
        if terms.baseline:
            differences += differences_of(judged, terms)
    others = [request for request in requests if not kinds & request.measure.needs]
    sources = {(each.label, each.magnitude): source_of(each.measure.needs) for each in others}
    results = opened.measure(others, None, **single) if others else []
    for of_view in repeated(results, systems).values():
        for system in of_view:
            row = system.row(system.figure())
            source = sources[row["measure"], row["magnitude"]]
            rows.append(NO_FIGURE | row | {"source": source, "baseline": "", "unit": ""})
    table = [*rows, *with_marks(differences, terms)]
    for row in table:
        row["n_repetitions"] = len(systems[row["run"]])
    return table, notices
