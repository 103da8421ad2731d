"""The bias of runs over the subset that the labels of each method make."""

from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

from annotation.labels.queries.questions import codes_chosen, nominal_question
from annotation.models import Batch
from annotation.reports.queries.comparison import REFERENCE, BiasByMethod, bias_by_set, union_of
from annotation.reports.queries.label_uncertainty import ReportVotes, UncertainBias, uncertain_bias
from metrics.results.evaluation import requests_of
from metrics.results.scored_runs import score_runs
from metrics.texts.magnitude_store import open_magnitudes
from metrics.vocabulary import Missing
from metrics.votes.deciding import Decisions


def bias_by_method(
    decisions: Mapping[str, Decisions],
    *,
    batch: Batch,
    question: str = "",
    magnitudes: str | Path,
    runs: Mapping[str, str | Path],
    measures: tuple[str, ...] = ("RaB", "ARaB"),
    missing: Missing = "error",
    strict: bool = False,
    seed: int = 0,
) -> list[BiasByMethod]:
    """RaB and ARaB of every run on the subset by the labels of each method, with intervals.

    Of a nominal question that makes no subset they are those on all queries with a label.

    Where majority is `strict`, votes are not carried through to it, nor to changes from it.
    """
    scheme_question = nominal_question(batch=batch, name=question)
    codes = codes_chosen(scheme=batch.scheme, question=scheme_question)
    sets = {
        method: {decision.item for decision in decided.rows if decision.label in codes}
        for method, decided in decisions.items()
    }
    votes = ReportVotes((batch,), scheme_question.name, codes)
    results = score_runs(
        runs,
        open_magnitudes(magnitudes),
        requests_of(measures),
        queries=union_of([votes.qids, *sets.values()]),
        missing=missing,
    ).results
    again = {method: qids for method, qids in sets.items() if not (strict and method == REFERENCE)}
    carried = {
        (row.method, row.run, row.measure, row.magnitude, row.cutoff): row
        for row in uncertain_bias(votes, again, results, seed, with_changes=True)
    }
    return [
        _with_votes(row, carried.get((row.method, row.run, row.measure, row.magnitude, row.cutoff)))
        for row in bias_by_set(results, sets)
    ]


def _with_votes(row: BiasByMethod, uncertain: UncertainBias | None) -> BiasByMethod:
    if uncertain is None:
        return row
    return replace(
        row,
        low=uncertain.low,
        high=uncertain.high,
        change_low=uncertain.change_low,
        change_high=uncertain.change_high,
    )
