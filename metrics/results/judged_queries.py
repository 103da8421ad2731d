"""Figures where people judged whole queries, that is, the first documents of all runs."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ..errors import InputError
from ..statistics.few_labels import Figure, Sample, Target, mean
from ..statistics.figure import withheld
from ..statistics.plausible import text_of_units
from .evaluation import Request, Result
from .judgments import NAMES, Checked, Judgments, PartlyJudged, Terms, checked, rule_of
from .scored_runs import OpenRuns

Array = NDArray[np.float64]
#: Run, name of the measure, magnitude, cut-off.
Key = tuple[str, str, str, int]


def key_of(result: Result) -> Key:
    """Return the run, measure, magnitude and cut-off of a result."""
    return result.run, result.measure, result.magnitude, result.cutoff


@dataclass(frozen=True)
class Figures:
    """A figure by people alone, by the model alone, and corrected.

    None where there is none; `why` says why. `n_people` of `n_model` units were judged by people.
    """

    people: Figure | None
    model: float | None
    corrected: Figure | None
    n_people: int
    n_model: int
    why: str = ""


class JudgedQueries:
    """The figures of one kind of judgments; `notices` describe anomalies."""

    unit = "query"

    def __init__(
        self,
        opened: OpenRuns,
        requests: Sequence[Request],
        judgments: Judgments,
        terms: Terms,
    ) -> None:
        checks = checked(judgments, opened, terms)
        rule = rule_of(terms.partly_judged, judgments)
        judged, notices, in_part = _those_that_count(opened, requests, judgments, checks, rule)
        #: The rule that was taken for queries judged in part; "" where there are none.
        self.partly_judged = rule if in_part else ""
        self.target: Target = terms.target or "population"
        self.notices = [*checks.notices, *notices]
        self.pool, self.judged = checks.pool, judged
        self._checked, self._terms = checks, terms
        self._there = {
            run.name: np.array([qid in run.place_of for qid in checks.pool]) for run in opened.runs
        }
        self.of_people, self.of_model = (
            {
                key_of(result): result
                for result in opened.measure(requests, qids, **{judgments.kind: qrels})
            }
            for qids, qrels in ((judged, judgments.people), (checks.pool, judgments.model))
        )
        places = {qid: place for place, qid in enumerate(checks.pool)}
        self._rows = np.array([places[qid] for qid in judged], dtype=np.int64)
        design = terms.design.of_queries(list(checks.pool)) if terms.design else {}
        self._design = {
            name: np.asarray(values) for name, values in design.items() if values is not None
        }
        if terms.design is not None:
            known = [result.per_query.value for result in self.of_model.values()]
            self.notices += unlike_pool(judgments, self._rows, known, self._design)

    def figures(self, key: Key, baseline: str = "", together: int = 1) -> Figures:
        """The figure of a run, or its difference to the baseline.

        Its interval holds by itself, or with those of so many figures `together`.
        """
        z, f = self.of_people[key].per_query.value, self.of_model[key].per_query.value
        there = self._there[key[0]]
        if baseline:
            other = (baseline, *key[1:])
            z = z - self.of_people[other].per_query.value
            f = f - self.of_model[other].per_query.value
            there = there & self._there[baseline]
        if np.array_equal(np.isnan(f), ~there) and np.array_equal(np.isnan(z), ~there[self._rows]):
            return self._of(z, f, there, together)
        return self._of(z, f, np.ones(len(f), dtype=bool), together)

    def _of(self, z: Array, f: Array, kept: NDArray[np.bool_], together: int) -> Figures:
        """The figures over the part of the pool that is `kept`: of it something is defined."""
        of_sample = kept[self._rows]
        z, rows = z[of_sample], (np.cumsum(kept) - 1)[self._rows[of_sample]]
        f = f[kept]
        naive = float(np.nanmean(f)) if not np.isnan(f).all() else None
        least = 2
        if np.count_nonzero(~np.isnan(z)) < least:
            why = f"people judged {len(z):,} queries for which it is defined."
            return Figures(None, naive, None, len(z), len(f), why)
        design = {name: values[kept] for name, values in self._design.items()}
        n = len(rows)
        terms: Any = {
            "target": self.target,
            "level": self._terms.level_with(n, len(f), self.target, together),
            # What a few documents gain is no more than the best grade allows.
            "is_bounded": True,
        }
        known, numbers = ~np.isnan(z), np.nan_to_num(z)
        beliefs = np.nan_to_num(f)
        sample = Sample.of(beliefs, rows, numbers, **design)
        is_whole = known.all() and not np.isnan(f).any()
        counted = None if is_whole else Sample.of(~np.isnan(f), rows, known, **design)
        both = mean(sample, counted, **terms)
        return withhold(Figures(both.people, naive, both, n, len(f)), self._checked)


def unlike_pool(
    judgments: Judgments,
    rows: ArrayLike,
    known: Sequence[ArrayLike],
    design: Mapping[str, ArrayLike],
) -> list[str]:
    """Say where a sample by the design would hardly look as the judged `rows`, by what is known."""
    text = text_of_units(rows, known, **design)
    return [f"{NAMES[judgments.kind]}: {text}"] if text else []


def withhold(figures: Figures, checks: Checked) -> Figures:
    """The figures without the intervals, or values, that the checks of judgments do not allow."""
    people, corrected = figures.people, figures.corrected
    if checks.withheld and people is not None:
        people = withheld(people, checks.withheld)
    why = checks.withheld or checks.withheld_corrected
    if why and corrected is not None:
        corrected = withheld(corrected, why) if checks.is_known else None
    return replace(figures, people=people, corrected=corrected, why=figures.why or why)


def _those_that_count(
    opened: OpenRuns,
    requests: Sequence[Request],
    judgments: Judgments,
    checks: Checked,
    rule: PartlyJudged,
) -> tuple[tuple[str, ...], list[str], bool]:
    """The judged queries that count by the rule, what is to be said, and whether some are in part.

    In part: people judged some of the first documents of a run, and not all.
    """
    in_part: dict[str, str] = {}
    n_people, n_model, n_shown = 0, 0, 0
    deepest = max(cutoff for request in requests for cutoff in request.cutoffs)
    for run in opened.runs:
        for qid, documents in judgments.shown(run, checks.pool, deepest):
            of_people, of_model = judgments.people.get(qid), judgments.model[qid]
            n_shown += len(documents)
            n_model += sum(docno not in of_model for docno in documents)
            if of_people:
                lacking = [docno for docno in documents if docno not in of_people]
                n_people += len(lacking)
                if lacking:
                    in_part.setdefault(qid, lacking[0])
    notices = []
    if n_model:
        notices.append(
            f"the model judged {n_shown - n_model:,} of {n_shown:,} first documents; the others "
            "count as not relevant in its figures."
        )
    if not in_part:
        return checks.judged, notices, False
    qid, docno = next(iter(in_part.items()))
    text = (
        f"people judged the first documents of {len(in_part):,} of {len(checks.judged):,} queries "
        f"in part: {n_people:,} have no judgement, as {docno!r} of {qid!r}"
    )
    if rule == "error":
        raise InputError(
            f"{text}.",
            remedy='Judge them, measure at a smaller cut-off, or give partly_judged="skip" '
            'or partly_judged="not relevant".',
        )
    if rule == "not relevant":
        notices.append(
            f"{text}. They count as not relevant, as usual when people judged a pool of documents."
        )
        return checks.judged, notices, True
    judged = tuple(qid for qid in checks.judged if qid not in in_part)
    if not judged:
        raise InputError(f"{text}, and no query is left.", remedy="Judge them.")
    notices.append(
        f"{text}. These queries are left out. The others are a random sample only if the reason "
        "has nothing to do with the judgments."
    )
    return judged, notices, True
