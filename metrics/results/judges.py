"""Figures of runs under several judges: under each, with judges as drawn, and their agreement.

Which of two systems is better may depend on who judges. Judges are taken for drawn as queries are:
a figure has the interval over both. Where people judged a part, each judge corrected by them is
beside it.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from math import isnan
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError
from ..measures.base import Qrels
from ..statistics.repetitions import RepeatedMean, repeated_mean
from ..vocabulary import LEVEL
from ..votes.coefficients import ordinal_alpha
from ..votes.patterns import Patterns
from .evaluation import Request, Result
from .few_judgments import differences_of, rows_once, with_marks
from .figure_rows import FIGURE_COLUMNS, NO_FIGURE, Row, keep_within, three_rows
from .judged_pairs import JudgedPairs
from .judged_queries import JudgedQueries, Key, key_of
from .judgments import Judgments, Terms, check_baseline
from .scored_runs import COLUMNS, OpenRuns

#: What rows have beside those of one model.
_OWN = (
    "judge",
    "n_judges",
    "fixed_low",
    "fixed_high",
    "fixed_p",
    "deviation",
    "share",
    "holds",
    "agreement",
)
JUDGES_COLUMNS: tuple[str, ...] = (*COLUMNS, *FIGURE_COLUMNS, *_OWN)
#: Those whose values are numbers, some of them undefined.
JUDGES_NUMBERS: tuple[str, ...] = tuple(name for name in _OWN if name not in {"judge", "n_judges"})
#: A key of a row: the run and what was measured.
KEYS = ("run", "measure", "magnitude", "cutoff")
#: Of several judges together, and of one.
ALL, ALONE = "judges", "judge"
Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class _Views:
    """The results by judge, with the values (Q, J) of each key over the queries of all judges."""

    by_judge: Mapping[str, Mapping[Key, Result]]

    def values(self, key: Key) -> Array:
        return np.stack([of[key].per_query.value for of in self.by_judge.values()], axis=1)


def alpha_of_judges(judges: Mapping[str, Qrels]) -> float | None:
    """Krippendorff's ordinal alpha of the grades of the documents that two judges or more judged.

    None where nothing tells it: no such document, or one grade alone.
    """
    pairs: dict[tuple[str, str], list[int]] = {}
    for qrels in judges.values():
        for qid, grades in qrels.items():
            for docno, grade in grades.items():
                pairs.setdefault((qid, docno), []).append(grade)
    together = [grades for grades in pairs.values() if len(grades) > 1]
    known = sorted({grade for grades in together for grade in grades})
    if len(known) < 2:  # noqa: PLR2004 - one grade has no order
        return None
    place = {grade: number for number, grade in enumerate(known)}
    counts = np.zeros((len(together), len(known)), dtype=np.int64)
    for row, own in enumerate(together):
        for grade in own:
            counts[row, place[grade]] += 1
    patterns = Patterns.of(counts)
    alpha = float(ordinal_alpha(patterns, patterns.observed)[0])
    return None if isnan(alpha) else alpha


def judges_rows(
    opened: OpenRuns,
    requests: Sequence[Request],
    judges: Mapping[str, Qrels],
    terms: Terms,
    people: Qrels | None = None,
) -> tuple[list[Row], list[str]]:
    """Rows of `JUDGES_COLUMNS`, and what is to be said of them.

    For each run and measure a row by each judge and one by all, and with `people`, judgments of
    some of the queries, one by these and one corrected for each judge. Then the differences of the
    other runs to the baseline of `terms`. A measure that reads no judgments has its row once, last.
    `InputError` where the judges have no query in common.
    """
    check_baseline(opened, terms.baseline)
    if opened.judgments.get("judge_passages") is not None:
        raise InputError(
            "several judges of documents cannot be combined with a model's labels of passages.",
            remedy="Leave out judge_passages.",
        )
    own = [request for request in requests if "qrels" in request.measure.needs]
    pool, notices = _common(opened, judges)
    views = _Views(
        {
            name: {key_of(result): result for result in opened.measure(own, pool, qrels=qrels)}
            for name, qrels in judges.items()
        }
    )
    agreement = alpha_of_judges(judges)
    keys = list(next(iter(views.by_judge.values())))
    ranges = {request.label: request.measure.definition.range for request in own}
    corrected = _Corrected(opened, own, judges, terms, people)
    rows: list[Row] = []
    for key in keys:
        figure = repeated_mean(views.values(key))
        of_key = [
            *_by_judge(views, key),
            _together(views, key, figure, agreement),
            *corrected.rows(key),
        ]
        for row in of_key:
            keep_within(row, ranges[key[1]])
        rows += of_key
    if terms.baseline:
        rows += _differences(views, keys, terms, agreement)
        rows += corrected.differences
    others = [request for request in requests if request not in own]
    if others:
        single = {kind: opened.judgments.get(kind) for kind in ("qrels", "passages")}
        once = rows_once(opened, others, single).values()
        rows += [dict.fromkeys(_OWN) | row | {"judge": ""} for of_key in once for row in of_key]
    return rows, [*notices, *corrected.notices]


def _common(opened: OpenRuns, judges: Mapping[str, Qrels]) -> tuple[tuple[str, ...], list[str]]:
    """The queries that every judge judged, and what is to be said of the others."""
    judged = {name: set(opened.judged(qrels)) for name, qrels in judges.items()}
    common = set.intersection(*judged.values())
    if not common:
        counts = ", ".join(f"{name} {len(qids):,}" for name, qids in judged.items())
        raise InputError(
            f"no query was judged by all judges ({counts}).",
            remedy="Check that the ids are those of the runs, or leave a judge out.",
        )
    every = set[str]().union(*judged.values())
    notices = [
        f"the judge {name} has no judgment of {len(lacking):,} of the {len(every):,} queries that "
        f"others judged, as {min(lacking)!r}: they are left out for all."
        for name, qids in judged.items()
        if (lacking := every - qids)
    ]
    return tuple(sorted(common)), notices


def _by_judge(views: _Views, key: Key, baseline: str = "") -> Iterator[Row]:
    """The rows by each judge alone: the interval is that of this very judge."""
    other = (baseline, *key[1:])
    for name, results in views.by_judge.items():
        values = results[key].per_query.value
        if baseline:
            values = values - results[other].per_query.value
        figure = repeated_mean(values[:, None])
        yield _row(results[key], figure, ALONE) | {"judge": name, "baseline": baseline}


def _together(
    views: _Views, key: Key, figure: RepeatedMean, agreement: float | None, baseline: str = ""
) -> Row:
    """The row by all judges, as drawn."""
    first = next(iter(views.by_judge.values()))[key]
    return _row(first, figure, ALL) | {"agreement": agreement, "baseline": baseline}


def _row(result: Result, figure: RepeatedMean, source: str) -> Row:
    named = ("low", "high", "fixed_low", "fixed_high", "fixed_p", "deviation", "share", "withheld")
    return {
        **result.row(),
        **NO_FIGURE,
        **dict.fromkeys(_OWN),
        **{name: getattr(figure, name) for name in named},
        "value": figure.value,
        "n_queries": figure.n,
        "n_queries_missing": len(result.measured) - figure.n,
        "source": source,
        "judge": "",
        "baseline": "",
        "unit": "query",
        "n_judges": figure.n_repetitions,
        "withheld": figure.withheld.replace("repetition", "judge"),
    }


def _differences(
    views: _Views, keys: Sequence[Key], terms: Terms, agreement: float | None
) -> Iterator[Row]:
    """The differences of the other runs to the baseline: judges are shared, so they are paired."""
    baseline = terms.baseline
    keys = [key for key in keys if key[0] != baseline]
    is_own = terms.inference.family == "measure+cutoff"
    rows = []
    for key in keys:
        n = sum(not is_own or other[1:] == key[1:] for other in keys)
        values = views.values(key) - views.values((baseline, *key[1:]))
        figure = repeated_mean(values)
        wide = repeated_mean(values, level=1 - (1 - LEVEL) / n)
        known = values[~np.isnan(values).any(axis=1)]
        means = known.mean(axis=0) if len(known) else np.zeros(values.shape[1])
        row = _together(views, key, figure, agreement, baseline) | {
            "p": figure.p,
            "simultaneous_low": wide.low,
            "simultaneous_high": wide.high,
            "holds": int(np.count_nonzero(np.sign(means) == np.sign(figure.value or 0.0))),
        }
        rows.append([*_by_judge(views, key, baseline), row])
    with_marks([of_key[-1] for of_key in rows], terms)
    for of_key in rows:
        yield from of_key


class _Corrected:
    """Figures by people of a part of the queries, and by each judge corrected by them."""

    def __init__(
        self,
        opened: OpenRuns,
        requests: Sequence[Request],
        judges: Mapping[str, Qrels],
        terms: Terms,
        people: Qrels | None,
    ) -> None:
        self._terms = terms
        self.notices: list[str] = []
        self.differences: list[Row] = []
        pairs = terms.design is not None and terms.design.unit == "pair"
        self._judged: dict[str, JudgedQueries | JudgedPairs] = {}
        for name, qrels in judges.items() if people is not None else ():
            judgments = Judgments("qrels", people or {}, qrels)
            judged = (JudgedPairs if pairs else JudgedQueries)(opened, requests, judgments, terms)
            self._judged[name] = judged
            self.notices += [f"{name}: {notice}" for notice in judged.notices]
            if terms.baseline:
                rows = with_marks(differences_of(judged, terms, settles=True), terms)
                self.differences += self._named(rows, name)
        self.differences = _people_once(self.differences)

    def rows(self, key: Key) -> list[Row]:
        """The row by people, and one corrected for each judge."""
        rows: list[Row] = []
        for name, judged in self._judged.items():
            rows += self._named(three_rows(judged, key, judged.figures(key), self._terms), name)
        return _people_once(rows)

    def _named(self, rows: Sequence[Row], judge: str) -> list[Row]:
        """The rows by people and the corrected ones, with the columns of judges."""
        own: dict[str, Any] = dict.fromkeys(_OWN)
        return [
            own | row | {"judge": judge if row["source"] == "corrected" else ""}
            for row in rows
            if row["source"] != "model"
        ]


def _people_once(rows: Sequence[Row]) -> list[Row]:
    """The rows with those by people once, which are the same for every judge."""
    seen: set[tuple[object, ...]] = set()
    kept = []
    for row in rows:
        key = tuple(row[name] for name in ("source", "judge", *KEYS))
        if key not in seen:
            kept.append(row)
        seen.add(key)
    return kept
