"""Offering the HITs of a batch for longer, or to more workers each."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Count, F, QuerySet
from django.utils import timezone

from annotation.models import HIT, AuditEvent, Batch, Redundancy
from annotation.services.crowd import gateway_of_batch
from annotation.services.topping import TopUpReport, batch_top_up
from annotation.vocabulary import BatchState
from metrics.errors import InputError

#: The crowd's limit on how long a HIT may still be offered.
_LONGEST = timedelta(days=365)


@dataclass
class ExtendReport:
    """`extended` HITs are offered until the new time."""

    extended: int = 0


def batch_extend(
    *,
    batch_id: int,
    until: datetime,
    actor: str,
    advance: Callable[[int], object] = lambda _n: None,
) -> ExtendReport:
    """Offer every HIT that lacks answers until `until`; never shorter than it is offered now.

    The answers were paid for in the budget when the HITs were published, so that this commits
    nothing. A batch that was stopped goes on. Doing it twice changes nothing.
    """
    if not timedelta() < until - timezone.now() <= _LONGEST:
        raise InputError(
            "the new end is not within the next 365 days.", remedy="Choose a later or nearer one."
        )
    batch = Batch.objects.get(pk=batch_id)
    gateway = gateway_of_batch(batch)
    report = ExtendReport()
    for hit in hits_lacking_answers(batch=batch):
        if hit.expires_at is None or hit.expires_at < until:
            gateway.extend(str(hit.hit_id), until)
            HIT.objects.filter(pk=hit.pk).update(expires_at=until)
            report.extended += 1
        advance(1)
    if report.extended:
        Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED).update(
            state=BatchState.PUBLISHED
        )
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action="offered for longer",
            detail={"hits": report.extended, "until": until.isoformat(timespec="minutes")},
        )
    return report


def hits_lacking_answers(*, batch: Batch) -> QuerySet[HIT]:
    """The published HITs that have not brought as many answers as they ask for."""
    hits = batch.hits.filter(hit_id__isnull=False).annotate(n_answers=Count("assignments"))
    return hits.filter(n_answers__lt=F("max_assignments")).order_by("index")


def batch_ask_more(
    *,
    batch_id: int,
    assignments: int,
    actor: str,
    advance: Callable[[int], object] = lambda _n: None,
) -> TopUpReport:
    """Ask for `assignments` answers to every HIT in all, and for whatever else is missing.

    The number is a goal, not an addition: asking twice, or again after a kill, asks once. A HIT
    that was cut into two (see `batch_top_up`) is asked for its own part and left as it is.
    """
    batch = Batch.objects.get(pk=batch_id)
    if Redundancy.objects.filter(batch=batch).exists():
        raise InputError(
            f"the batch {batch.name!r} asks adaptively.",
            remedy="Its next round asks where the votes differ.",
        )
    before = batch.assignments_per_hit
    if assignments > before:
        with transaction.atomic():
            batch.hits.filter(answers_wanted=before).update(answers_wanted=assignments)
            Batch.objects.filter(pk=batch.pk).update(assignments_per_hit=assignments)
            AuditEvent.objects.create(
                batch=batch,
                actor=actor,
                action="more answers wanted",
                detail={"before": before, "now": assignments},
            )
    return batch_top_up(batch_id=batch_id, actor=actor, advance=advance)
