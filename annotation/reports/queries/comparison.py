"""The methods side by side: changed labels, and the change of every run's bias."""

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from annotation.labels.queries.gold import gold_of_question
from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.votes import votes_on
from annotation.models import Batch
from metrics.errors import InputError
from metrics.results.evaluation import Result
from metrics.runs.queries import Queries
from metrics.statistics.significance import mean_interval
from metrics.votes.comparison import MethodComparison, compare_methods
from metrics.votes.deciding import ALL_METHODS, METHODS, Decisions, decide_votes
from metrics.votes.table import Votes

REFERENCE = "majority"
#: Majority that asks for more than half of the votes.
STRICT = "strict"


@dataclass(frozen=True)
class BiasByMethod:
    """A run's mean bias over the subset that a method's labels make.

    `change` is the difference to the same bias under majority. `queries_low` and `queries_high`
    take the labels as given; the other intervals include the uncertainty of the votes, and exist
    for methods fast enough to be repeated.
    """

    method: str
    run: str
    measure: str
    magnitude: str
    cutoff: int
    value: float | None
    n_queries: int
    change: float | None
    queries_low: float | None = None
    queries_high: float | None = None
    low: float | None = None
    high: float | None = None
    change_low: float | None = None
    change_high: float | None = None


def batch_decisions(
    *, batch: Batch, question: str = "", strict: bool = False, seed: int = 0
) -> dict[str, Decisions]:
    """Labels of a nominal question by every method; by gold only where there is some."""
    votes, gold, known = _votes_of(batch, question)
    return {
        method: decide_votes(votes, method, strict=strict, seed=seed, gold=gold, known=known)
        for method in METHODS
        if not ALL_METHODS[method].needs_gold or len(gold.told())
    }


def decided_by(*, batch: Batch, method: str, question: str) -> Decisions:
    """Labels of one method: one of `METHODS`, or majority of more than half, `STRICT`."""
    votes, gold, known = _votes_of(batch, question)
    if method == STRICT:
        return decide_votes(votes, REFERENCE, strict=True)
    return decide_votes(votes, method, gold=gold, known=known)


def _votes_of(batch: Batch, name: str = "") -> tuple[Votes, Votes, dict[str, str]]:
    """Votes, votes on gold questions, and their known answers."""
    question = nominal_question(batch=batch, name=name)
    votes = votes_on(batch=batch, question=question)
    if not len(votes.counted().told()):
        raise InputError(f"the batch {batch.name!r} has no votes yet.")
    return votes, *gold_of_question(batch=batch, question=question)


def batch_comparison(
    decisions: Mapping[str, Decisions], *, batch: Batch, question: str = ""
) -> list[MethodComparison]:
    """Every method beside majority."""
    categories = nominal_question(batch=batch, name=question).codes
    return compare_methods(decisions, reference=REFERENCE, categories=categories)


def union_of(sets: Iterable[Collection[str]]) -> Queries:
    """All queries of some sets, to measure each query once."""
    qids = sorted(set().union(*sets))
    return Queries(path="labels by every method", layout="ids", texts=dict.fromkeys(qids, ""))


def bias_by_set(
    results: Sequence[Result], sets: Mapping[str, Collection[str]]
) -> list[BiasByMethod]:
    """The mean of each result over each set of queries; the first set is the reference.

    The value of a query depends on nothing but its own documents, so that the queries of all sets
    are measured together.
    """
    rows: list[BiasByMethod] = []
    before: dict[tuple[str, str, str, int], float | None] = {}
    for method, qids in sets.items():
        for result in results:
            keep = np.fromiter(
                (qid in qids for qid in result.qids), dtype=bool, count=len(result.qids)
            )
            values = result.per_query.value[keep & ~np.isnan(result.per_query.value)]
            value = float(values.mean()) if len(values) else None
            key = (result.run, result.measure, result.magnitude, result.cutoff)
            reference = before.setdefault(key, value)
            known = value is not None and reference is not None
            interval = mean_interval(values)
            rows.append(
                BiasByMethod(
                    method,
                    *key,
                    value=value,
                    n_queries=len(values),
                    change=value - reference if known else None,  # type: ignore[operator] # `known`
                    queries_low=interval.low,
                    queries_high=interval.high,
                )
            )
    return rows
