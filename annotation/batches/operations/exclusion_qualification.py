"""Excluding workers who did their share of a batch, or worked on an earlier one.

A qualification of our own marks them, and the HITs ask for workers without it. The mark reaches a
worker only when somebody collects, and the service shows it with a delay: a worker may exceed the
share by the HITs accepted in between. Such answers are kept, and the worker table shows the share.
"""

from django.db.models import Count

from annotation.crowd.gateway import Gateway
from annotation.crowd.qualifications import WorkerConditions
from annotation.models import Batch, Worker


def ensure_exclusion(*, batch: Batch, gateway: Gateway) -> None:
    """Make the batch's qualification, if needed, and give it to workers of earlier batches."""
    conditions = WorkerConditions.from_json(batch.conditions)
    if not conditions.keep_somebody_out:
        return
    ensure_exclusion_qualification(batch=batch, gateway=gateway)
    earlier = Worker.objects.filter(
        environment=batch.environment,
        assignments__hit__batch__name__in=conditions.not_from,
        is_erased=False,
    )
    _mark(batch, sorted(set(earlier.values_list("worker_id", flat=True))), gateway)


def ensure_exclusion_qualification(*, batch: Batch, gateway: Gateway) -> None:
    """Return the batch's qualification, made once."""
    if not batch.exclusion_qualification_id:
        batch.exclusion_qualification_id = gateway.ensure_qualification(
            name=f"fairpool {batch.uid.hex}: not again",
            description="You have done your share of this batch, or took part in an earlier one.",
        )
        Batch.objects.filter(pk=batch.pk).update(
            exclusion_qualification_id=batch.exclusion_qualification_id
        )


def exclude_who_did_their_share(*, batch: Batch, gateway: Gateway) -> list[str]:
    """Mark the workers who did as many HITs as one may; return their ids."""
    share = WorkerConditions.from_json(batch.conditions).share_percent
    if share is None or not batch.exclusion_qualification_id:
        return []
    most = max(1, batch.hits.count() * share // 100)
    done = (
        Worker.objects.filter(assignments__hit__batch=batch, is_erased=False)
        .annotate(n=Count("assignments"))
        .filter(n__gte=most)
        .order_by("worker_id")
        .values_list("worker_id", flat=True)
    )
    worker_ids = list(done)
    _mark(batch, worker_ids, gateway)
    return worker_ids


def _mark(batch: Batch, worker_ids: list[str], gateway: Gateway) -> None:
    for worker_id in worker_ids:
        gateway.qualification_give(batch.exclusion_qualification_id, worker_id)
