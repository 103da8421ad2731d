"""The chances by which the queries of a report were drawn from a pool."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict
from typing import Any

from annotation.labels.queries.samples import drawn_ids
from annotation.models import Batch, BatchQuery, DrawnSample
from metrics.reports.families import View
from metrics.reports.results import Results
from metrics.statistics.inclusion import hajek_interval


def chances_of(batches: Sequence[Batch]) -> tuple[str, Mapping[str, float]]:
    """Name of the pool that the queries were drawn from, and each of its queries' chance.

    None unless the batches ask for one whole sample, with all that continues it.
    """
    pools = [batch.pool_id for batch in batches]
    samples = list(DrawnSample.objects.filter(pool__in=pools).select_related("parent"))
    if {sample.pool_id for sample in samples} != set(pools):
        return "", {}
    study_queries = BatchQuery.objects.filter(batch__in=batches, gold="")
    qids = set(study_queries.values_list("qid", flat=True))
    for sample in samples:
        if {part.pk for part in sample.parts} == {part.pk for part in samples}:
            return (sample.parent.name, sample.chances) if drawn_ids(sample) <= qids else ("", {})
    return "", {}


def weighted_means(
    results: Results, view: View, chances: Mapping[str, float]
) -> dict[str, dict[str, Any]]:
    """Return each run's mean over the pool that queries were drawn from, for JSON.

    Empty where a query has no chance.
    """
    measure, magnitude, cutoff = view
    means: dict[str, dict[str, Any]] = {}
    if not chances:
        return means
    for run in results.runs:
        result = results.find(run, measure, cutoff, magnitude)
        if result is not None and chances.keys() >= set(result.qids):
            drawn_by = [chances[qid] for qid in result.qids]
            means[run] = asdict(hajek_interval(result.compared, drawn_by))
    return means
