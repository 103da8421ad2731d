"""What is known about the quality of a batch's votes."""

from collections import defaultdict
from statistics import median

from django.db.models import Count

from annotation.agreement.workers import WorkerPair, WorkerQuality, worker_pairs, worker_quality
from annotation.models import Assignment, Batch, BatchQuery, SetAsideWorker, Vote
from annotation.selectors.votes import gold_table, vote_table


def gold_answers(*, batch: Batch) -> dict[str, str]:
    """The known category of each check query by its id."""
    return dict(BatchQuery.objects.filter(batch=batch).exclude(gold="").values_list("qid", "gold"))


def batch_worker_quality(*, batch: Batch) -> list[WorkerQuality]:
    """One row per worker, also for those who are set aside, most votes first."""
    return worker_quality(
        vote_table(batch=batch, everybody=True),
        gold_table=gold_table(batch=batch),
        gold=gold_answers(batch=batch),
        seconds=_median_seconds(batch),
    )


def batch_worker_pairs(*, batch: Batch, resamples: int = 1_000, seed: int = 0) -> list[WorkerPair]:
    """How every two workers with a query in common agree."""
    return worker_pairs(vote_table(batch=batch), resamples=resamples, seed=seed)


def workers_set_aside(*, batch: Batch) -> dict[str, str]:
    """Who is set aside now, and why."""
    rows = SetAsideWorker.objects.filter(batch=batch, brought_back_at=None)
    return dict(rows.order_by("worker__worker_id").values_list("worker__worker_id", "reason"))


def _median_seconds(batch: Batch) -> dict[str, float]:
    """Each worker's median time per query: of their assignments, or of an imported file."""
    times: defaultdict[str, list[float]] = defaultdict(list)
    assignments = (
        Assignment.objects.filter(hit__batch=batch)
        .annotate(n_queries=Count("hit__places"))
        .filter(n_queries__gt=0)
        .values_list("worker__worker_id", "accepted_at", "submitted_at", "n_queries")
    )
    for worker, accepted, submitted, n_queries in assignments.iterator(5_000):
        if accepted is not None and submitted is not None:
            times[worker].append((submitted - accepted).total_seconds() / n_queries)
    imported = Vote.objects.filter(query__batch=batch, seconds__isnull=False)
    for worker, seconds in imported.values_list("worker__worker_id", "seconds").iterator(20_000):
        times[worker].append(float(seconds or 0))
    return {worker: median(given) for worker, given in times.items()}
