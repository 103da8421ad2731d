"""Quality of a batch's votes."""

from collections import defaultdict
from statistics import median

from django.db.models import Q

from annotation.labels.queries.gold import gold_of_every_question, gold_of_question
from annotation.labels.queries.votes import question_votes, votes_on
from annotation.models import Assignment, Batch, DiscardedVotes, Vote
from annotation.vocabulary import WorkerKind
from metrics.votes.workers import WorkerPair, WorkerQuality, worker_pairs, worker_quality


def batch_worker_quality(*, batch: Batch) -> list[WorkerQuality]:
    """One row per worker, also for those whose votes are discarded, most votes first.

    Rated are the answers to the question of the scheme's subset, and to every question with a known
    answer of a gold question.
    """
    answered, known = gold_of_every_question(batch=batch)
    return worker_quality(
        votes_on(batch=batch, question=batch.scheme.subset_question).told(),
        gold_table=answered,
        gold=known,
        seconds=_median_seconds(batch),
    )


def question_quality(*, batch: Batch) -> dict[str, dict[str, WorkerQuality]]:
    """Return the quality of everybody's answers by closed question and worker's id.

    Only equal answers agree: neighbours on a scale are as different as any two answers.
    """
    quality = {}
    for name, votes in question_votes(batch=batch).items():
        answered, known = gold_of_question(batch=batch, question=batch.scheme.question(name))
        rows = worker_quality(votes.told(), gold_table=answered.told(), gold=known)
        quality[name] = {row.worker: row for row in rows}
    return quality


def batch_worker_pairs(*, batch: Batch) -> list[WorkerPair]:
    """Return the agreement of each two workers with a query in common."""
    votes = votes_on(batch=batch, question=batch.scheme.subset_question)
    return worker_pairs(votes.counted().told())


def workers_with_discarded_votes(*, batch: Batch) -> dict[str, str]:
    """Return the workers whose votes are discarded, with the reason."""
    rows = DiscardedVotes.objects.active().filter(batch=batch)
    return dict(rows.order_by("worker__worker_id").values_list("worker__worker_id", "reason"))


def _median_seconds(batch: Batch) -> dict[str, float]:
    """Return each person's median time per query, from assignments or an imported file.

    A program's time says nothing about reading or pay.
    """
    times: defaultdict[str, list[float]] = defaultdict(list)
    people = Q(worker__kind=WorkerKind.HUMAN)
    for time in Assignment.objects.filter(people, hit__batch=batch).work_times():
        times[time.worker_id].append(time.per_query)
    imported = Vote.objects.filter(people, query__batch=batch, seconds__isnull=False)
    for worker, seconds in imported.values_list("worker__worker_id", "seconds").iterator(20_000):
        times[worker].append(float(seconds or 0))
    return {worker: median(times_of_worker) for worker, times_of_worker in times.items()}
