"""The workers of a batch as the pages list them."""

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

from django.db.models import Exists, OuterRef

from annotation.batches.queries.pay import hourly_by_worker
from annotation.core.ordering import ordered
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.quality import batch_worker_quality
from annotation.labels.queries.votes import all_votes
from annotation.models import Assignment, Batch, DiscardedVotes, ExcludedWorker, Worker
from annotation.vocabulary import Environment, WorkerKind
from metrics.errors import InputError
from metrics.votes.workers import WorkerQuality, without_votes


@dataclass(frozen=True)
class WorkerRow:
    """Quality of one worker's votes, under the worker's pseudonym.

    `verification` says whether a panel participant's identity is proved. `set_aside` and `kept_out`
    are the reasons of decisions in force, else empty. The hourly pay is the reward at the worker's
    median time, known only of answers to our own HITs. The votes of somebody who `is_imported` came
    from a file.
    """

    number: int
    name: str
    kind: str
    kind_name: str
    is_imported: bool
    verification: str
    quality: WorkerQuality
    set_aside: str
    kept_out: str
    usd_per_hour: Decimal | None


#: The columns that a list of workers can be ordered by.
WORKER_ORDERS: dict[str, Callable[[WorkerRow], Any]] = {
    "worker": lambda row: row.name,
    "votes": lambda row: row.quality.n_votes,
    "gold": lambda row: row.quality.gold_accuracy.value,
    "others": lambda row: row.quality.with_others,
    "majority": lambda row: row.quality.with_majority.value,
    "share": lambda row: row.quality.share,
    "pay": lambda row: row.usd_per_hour,
    "run": lambda row: row.quality.longest_run,
    "seconds": lambda row: row.quality.seconds,
}


def batch_workers(
    *, batch: Batch, order: str = "-votes", only: Worker | None = None
) -> list[WorkerRow]:
    """One row per worker, ordered by a column, with a minus from the largest; unknown ones last.

    Workers without a vote that counts are included: nothing of theirs was readable or accepted.
    With `only` the row of one of them, measured beside all the others.
    """
    names = worker_names(batch=batch)
    worked = Worker.objects.filter(
        Exists(Assignment.objects.filter(hit__batch=batch, worker=OuterRef("pk")))
        | Exists(all_votes(batch=batch).filter(worker=OuterRef("pk")))
    )
    if only is not None:
        worked = worked.filter(pk=only.pk)
    workers = {worker.worker_id: worker for worker in worked}
    quality_by_worker = {quality.worker: quality for quality in batch_worker_quality(batch=batch)}
    aside = DiscardedVotes.objects.active().filter(batch=batch)
    reasons = {row.worker_id: row.reason for row in aside}
    kept = ExcludedWorker.objects.active().filter(batch=batch)
    out = {row.worker_id: row.reason for row in kept}
    hourly = hourly_by_worker(batch=batch, only=only)
    rows = [
        WorkerRow(
            number=worker.pk,
            name=names[worker.pk],
            kind=worker.kind,
            kind_name=WorkerKind(worker.kind).label,
            is_imported=worker.environment == Environment.IMPORTED,
            verification=worker.verification,
            quality=quality,
            set_aside=reasons.get(worker.pk, ""),
            kept_out=out.get(worker.pk, ""),
            usd_per_hour=hourly.get(worker_id),
        )
        for worker_id, worker in workers.items()
        for quality in (quality_by_worker.get(worker_id) or without_votes(worker_id),)
    ]
    return _ordered(rows, order)


def workers_with_id(worker_id: str, *, environment: str | None = None) -> list[Worker]:
    """Return the workers with that id, in that environment or in any; `InputError` if none."""
    workers = Worker.objects.filter(worker_id=worker_id)
    if environment is not None:
        workers = workers.filter(environment=environment)
    if not workers:
        raise InputError(
            f"there is no worker {worker_id!r}.",
            remedy="`batch pay-list` lists the ids of a batch.",
        )
    return list(workers)


def _ordered(rows: list[WorkerRow], order: str) -> list[WorkerRow]:
    key = WORKER_ORDERS.get(order.removeprefix("-"), WORKER_ORDERS["votes"])
    by_name = sorted(rows, key=lambda row: row.name)
    return ordered(by_name, key, is_descending=order.startswith("-"))
