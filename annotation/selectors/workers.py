"""The workers of a batch as the pages list them."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from annotation.agreement.workers import WorkerQuality
from annotation.models import Batch, SetAsideWorker, Worker
from annotation.selectors.pseudonyms import worker_names
from annotation.selectors.quality import batch_worker_quality
from annotation.selectors.votes import votes_of_everybody
from annotation.vocabulary import WorkerKind


@dataclass(frozen=True)
class WorkerRow:
    """What one worker's votes show, under the name that leaves the house."""

    number: int
    name: str
    kind: str
    kind_name: str
    quality: WorkerQuality
    set_aside: str


#: The columns that a list of workers can be ordered by.
_ORDERS: dict[str, Callable[[WorkerRow], Any]] = {
    "worker": lambda row: row.name,
    "votes": lambda row: row.quality.n_votes,
    "gold": lambda row: row.quality.gold_accuracy.value,
    "others": lambda row: row.quality.with_others,
    "run": lambda row: row.quality.longest_run,
    "seconds": lambda row: row.quality.seconds,
}


def batch_workers(*, batch: Batch, order: str = "-votes") -> list[WorkerRow]:
    """One row per worker, ordered by a column, with a minus from the largest; unknown ones last."""
    names = worker_names(batch=batch)
    voters = votes_of_everybody(batch=batch).values("worker")
    known = {worker.worker_id: worker for worker in Worker.objects.filter(pk__in=voters)}
    aside = SetAsideWorker.objects.filter(batch=batch, brought_back_at=None)
    reasons = {one.worker_id: one.reason for one in aside}
    rows = [
        WorkerRow(
            number=worker.pk,
            name=names[worker.pk],
            kind=worker.kind,
            kind_name=WorkerKind(worker.kind).label,
            quality=quality,
            set_aside=reasons.get(worker.pk, ""),
        )
        for quality in batch_worker_quality(batch=batch)
        if (worker := known.get(quality.worker)) is not None
    ]
    return _ordered(rows, order)


def _ordered(rows: list[WorkerRow], order: str) -> list[WorkerRow]:
    key = _ORDERS.get(order.removeprefix("-"), _ORDERS["votes"])
    by_name = sorted(rows, key=lambda row: row.name)
    told = [row for row in by_name if key(row) is not None]
    untold = [row for row in by_name if key(row) is None]
    return sorted(told, key=key, reverse=order.startswith("-")) + untold
