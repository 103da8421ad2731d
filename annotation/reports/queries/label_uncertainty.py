"""Uncertainty of a report's bias due to its labels."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from annotation.labels.queries.questions import nominal_question
from annotation.labels.queries.votes import votes_on
from annotation.models import Batch
from annotation.vocabulary import LABEL_METHODS
from metrics.reports.formats.layout import Column, Table, Value
from metrics.reports.results import MEANS_NOTE, magnitude_title
from metrics.results.evaluation import Result
from metrics.statistics.significance import WITHHELD_NOTE, Array, mean_interval
from metrics.statistics.uncertain_labels import (
    MIN_WORKERS,
    SHARED_ERRORS,
    UNDECIDED,
    Codes,
    LabelledMean,
    Labeller,
    labelled_changes,
    labelled_means,
    majority_labels,
)
from metrics.vocabulary import INTERVAL, RESAMPLES
from metrics.votes.deciding import ALL_METHODS, DAWID_SKENE, MAJORITY
from metrics.votes.majority import VOTES_BESIDE_ABSTENTIONS
from metrics.votes.methods.redrawn import dawid_skene_labels
from metrics.votes.table import Votes


def _by_majority(table: Votes) -> Labeller:
    shape = len(table.items), len(table.workers)
    return majority_labels(table.item, table.worker, table.answer, shape=shape)


#: The stored value where there is none, with the reason if that is not plain.
NO_UNCERTAINTY: Mapping[str, Any] = {"rows": [], "reason": ""}
#: The code of a query of the report's category.
_CHOSEN = 0
#: The methods that are repeated, each with its number of draws: a model takes longer.
_METHODS: Mapping[str, tuple[Callable[[Votes], Labeller], int]] = {
    MAJORITY: (_by_majority, RESAMPLES),
    DAWID_SKENE: (dawid_skene_labels, 200),
}
_REFERENCE = MAJORITY


@dataclass(frozen=True)
class UncertainBias:
    """A run's mean bias over the queries that a method puts into the report's category.

    `queries_low` and `queries_high` take the labels as given; `low` and `high`, also of the change
    from majority, include the uncertainty of the votes.
    """

    method: str
    run: str
    measure: str
    magnitude: str
    cutoff: int
    value: float | None
    n_queries: int
    n_workers: int
    queries_low: float | None
    queries_high: float | None
    low: float | None
    high: float | None
    label_share: float | None
    change_low: float | None = None
    change_high: float | None = None


class ReportVotes:
    """The votes behind a report's labels. Those of several batches are decided batch by batch.

    A query that the batches label differently has no label, as in the report.
    """

    def __init__(self, batches: Sequence[Batch], question: str, codes: Sequence[str]) -> None:
        """`codes` are the options of the nominal `question` that the report is about."""
        self._codes = codes
        questions = [(batch, nominal_question(batch=batch, name=question)) for batch in batches]
        votes = [
            votes_on(batch=batch, question=question).counted() for batch, question in questions
        ]
        self._tables = [(of.told(), _undecidable(of)) for of in votes]
        self._workers = sorted({name for table, _ in self._tables for name in table.workers})

    @property
    def n_workers(self) -> int:
        return len(self._workers)

    @property
    def qids(self) -> set[str]:
        """Queries of the batches."""
        return {qid for table, _ in self._tables for qid in table.items}

    def labeller(self, method: str, qids: Sequence[str]) -> Labeller:
        """Decides each of `qids`, which has all queries: `_CHOSEN` where it is of the category."""
        place = {qid: at for at, qid in enumerate(qids)}
        worker_place = {name: at for at, name in enumerate(self._workers)}
        parts = [
            (
                _METHODS[method][0](table),
                [table.labels.index(code) for code in self._codes],
                [worker_place[name] for name in table.workers],
                [place[qid] for qid in table.items],
                undecidable,
            )
            for table, undecidable in self._tables
        ]

        def label(drawn_workers: Array, drawn_queries: Array) -> Codes:
            is_chosen, is_other = np.zeros((2, *drawn_queries.shape), dtype=bool)
            for decide, chosen, workers, queries, undecidable in parts:
                codes = decide(drawn_workers[:, workers], drawn_queries[:, queries])
                codes[:, undecidable] = UNDECIDED
                is_of_them = np.isin(codes, chosen)
                is_chosen[:, queries] |= is_of_them
                is_other[:, queries] |= ~is_of_them & (codes != UNDECIDED)
            return np.where(is_chosen & ~is_other, _CHOSEN, UNDECIDED)

        return label


def _undecidable(votes: Votes) -> Sequence[int]:
    """Return the queries that have too few votes beside "I cannot tell" for a label."""
    few = votes.counts().sum(axis=1) < VOTES_BESIDE_ABSTENTIONS
    places: list[int] = np.flatnonzero(few & (votes.untold() > 0)).tolist()
    return places


def uncertain_bias(
    votes: ReportVotes,
    sets: Mapping[str, Collection[str]],
    results: Sequence[Result],
    seed: int,
    *,
    with_changes: bool = False,
) -> list[UncertainBias]:
    """The means of the results over the queries that each method chooses, with both intervals.

    `sets` are those queries by method; `results` are over all of `votes.qids`. `with_changes`
    takes as long again: it decides every method's labels beside those of majority.
    """
    if not results:
        return []
    qids = results[0].qids
    values = np.stack([result.per_query.value for result in results], axis=1)
    decided = {
        method: (
            np.array([_CHOSEN if qid in sets[method] else UNDECIDED for qid in qids]),
            votes.labeller(method, qids),
        )
        for method in _METHODS
        if method in sets
    }
    rows = []
    for method, (labels, label) in decided.items():
        resamples = _METHODS[method][1]
        means = labelled_means(
            *(values, labels, label, votes.n_workers),
            category=_CHOSEN,
            resamples=resamples,
            seed=seed,
        )
        changes: Sequence[LabelledMean | None] = [None] * len(means)
        if with_changes and method != _REFERENCE and _REFERENCE in decided:
            changes = labelled_changes(
                *(values, decided[_REFERENCE], (labels, label), votes.n_workers),
                category=_CHOSEN,
                resamples=resamples,
                seed=seed,
            )
        for result, mean, change, column in zip(results, means, changes, values.T, strict=True):
            interval = mean_interval(column[labels == _CHOSEN])
            key = (result.run, result.measure, result.magnitude, result.cutoff)
            rows.append(
                UncertainBias(
                    *(method, *key, mean.value, mean.n_queries, mean.n_workers),
                    *(interval.low, interval.high, mean.low, mean.high, mean.label_share),
                    *((change.low, change.high) if change else ()),
                )
            )
    return rows


def label_uncertainty_table(
    rows: Sequence[Mapping[str, Any]], magnitude: str, cutoff: int
) -> Table:
    """Rows of `uncertain_bias` for one magnitude and cut-off."""
    table_rows: list[dict[str, Value]] = [
        {**row, "labels": dict(LABEL_METHODS).get(row["method"], "")}
        for row in rows
        if (row["magnitude"], row["cutoff"]) == (magnitude, cutoff)
    ]
    times = ", ".join(f"{ALL_METHODS[method].title}: {n:,}" for method, (_, n) in _METHODS.items())
    n_workers = max((int(row["n_workers"]) for row in rows), default=0)
    return Table(
        name="label_uncertainty",
        title=f"With the uncertainty of the labels: {magnitude_title(magnitude)} at {cutoff}.",
        columns=[
            Column("labels", "Labels by"),
            Column("run", "Model"),
            Column("measure", "Measure"),
            Column("value", "Mean"),
            Column("n_queries", "Queries"),
            Column("queries_low", "low", "Labels as given"),
            Column("queries_high", "high", "Labels as given"),
            Column("low", "low", "Votes carried through"),
            Column("high", "high", "Votes carried through"),
            Column("label_share", "Share of labels", digits=2),
        ],
        rows=table_rows,
        notes=[
            (
                f"{INTERVAL}s. Votes carried through: queries and the {n_workers:,} workers are "
                f"resampled (times: {times}), labels are decided and means taken again; "
                "Student's t by the spread of the means. Adjudicated labels do not count. Share "
                "of labels: the part of the variance that comes from the votes deciding the "
                "labels."
            ),
            (
                f"Votes of fewer than {MIN_WORKERS} workers give no interval, and means have "
                f"{WITHHELD_NOTE}."
            ),
            SHARED_ERRORS,
            MEANS_NOTE,
        ],
        block="labels",
    )
