"""The bias of runs over the queries that each method calls non-gendered."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from annotation.agreement.aggregation import Decisions
from annotation.labels.queries.questions import subset_question
from annotation.models import Batch
from annotation.reports.queries.comparison import REFERENCE, BiasByMethod, bias_by_set, union_of
from annotation.reports.queries.label_uncertainty import ReportVotes, UncertainBias, uncertain_bias
from annotation.reports.queries.measured import LabelSource
from annotation.vocabulary import Category
from metrics.errors import InputError
from metrics.results.evaluation import requests_of
from metrics.results.scored_runs import score_runs
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import Missing


def bias_by_method(
    decisions: Mapping[str, Decisions],
    *,
    batch: Batch,
    magnitudes: str | Path,
    runs: Mapping[str, str | Path],
    measures: tuple[str, ...] = ("RaB", "ARaB"),
    missing: Missing = "error",
    strict: bool = False,
    seed: int = 0,
) -> list[BiasByMethod]:
    """RaB and ARaB of every run on the non-gendered queries of each method, with intervals.

    Where majority is `strict`, votes are not carried through to it, nor to changes from it.
    """
    if not subset_question(batch=batch).asks_for_categories:
        raise InputError(
            "the bias by method is that over the non-gendered queries, and the batch asks other "
            "questions.",
            remedy="Leave the runs out; a bias report measures the subset of the scheme.",
        )
    sets = {
        method: {one.query for one in decided.rows if one.label == Category.NON_GENDERED}
        for method, decided in decisions.items()
    }
    votes = ReportVotes(LabelSource((batch,), Category.NON_GENDERED))
    results = score_runs(
        runs,
        open_magnitudes(magnitudes),
        requests_of(measures),
        queries=union_of([votes.qids, *sets.values()]),
        missing=missing,
    ).results
    again = {method: qids for method, qids in sets.items() if not (strict and method == REFERENCE)}
    carried = {
        (one.method, one.run, one.measure, one.magnitude, one.cutoff): one
        for one in uncertain_bias(votes, again, results, seed, with_changes=True)
    }
    return [
        _with_votes(row, carried.get((row.method, row.run, row.measure, row.magnitude, row.cutoff)))
        for row in bias_by_set(results, sets)
    ]


def _with_votes(row: BiasByMethod, found: UncertainBias | None) -> BiasByMethod:
    if found is None:
        return row
    return replace(
        row,
        low=found.low,
        high=found.high,
        change_low=found.change_low,
        change_high=found.change_high,
    )
