"""Asking again for what is missing: unreadable, rejected or never handed in."""

import hashlib
import time
from collections.abc import Callable
from dataclasses import asdict, dataclass
from datetime import timedelta

from django.db import transaction
from django.db.models import Count, F, Q
from django.utils import timezone

from annotation.models import HIT, Batch, Redundancy
from annotation.mturk.errors import CrossesTenError, CrowdRefusedError
from annotation.mturk.gateway import CrowdHIT, Gateway
from annotation.services.audit import money_note
from annotation.services.collecting import batch_collect
from annotation.services.crowd import gateway_of_batch
from annotation.services.further_hits import hits_add, voters_keep_out
from annotation.services.money import money_commit, money_release
from annotation.services.publishing import batch_publish
from annotation.vocabulary import AssignmentState, BatchState
from metrics.errors import InputError

#: A HIT cannot be changed during the first seconds of its life.
_YOUNG = timedelta(minutes=1)
_PAUSE_SECONDS = 5


@dataclass
class TopUpReport:
    """`added` assignments were asked for, `reopened` HITs had expired.

    `further_hits` were planned for what HITs lack that cannot grow to ten assignments.
    """

    added: int = 0
    reopened: int = 0
    further_hits: int = 0


def batch_top_up(
    *,
    batch_id: int,
    actor: str,
    pause: Callable[[float], object] = time.sleep,
    advance: Callable[[int], object] = lambda _n: None,
) -> TopUpReport:
    """Collect, then ask for as many further answers as each HIT lacks, for another lifetime.

    What a HIT is meant to ask for is committed before the crowd is told, and the crowd's own number
    is read before it is changed: doing it twice, or again after a kill, asks once.
    """
    batch = Batch.objects.get(pk=batch_id)
    if Redundancy.objects.filter(batch=batch).exists():
        # Its later rounds ask for fewer answers than the batch, and ask again for lost ones.
        raise InputError(
            f"the batch {batch.name!r} asks adaptively.",
            remedy=f"Run: python manage.py ask_adaptively {batch.name} --next",
        )
    batch_collect(batch_id=batch_id, actor=actor)
    gateway = gateway_of_batch(batch)
    report = TopUpReport()
    for hit in _hits_lacking(batch):
        known = gateway.get_hit(str(hit.hit_id))
        _grow(hit, known, gateway, report, pause)
        if hit.max_assignments > hit.n_all:  # type: ignore[attr-defined]
            _reopen(hit, known, gateway, report)
        advance(1)
    changed = bool(report.added or report.reopened or report.further_hits)
    if changed:
        Batch.objects.filter(pk=batch.pk, state=BatchState.STOPPED).update(
            state=BatchState.PUBLISHED
        )
    detail = asdict(report)
    money_note(
        batch=batch, actor=actor, action="topped up", detail=detail, only_if_changed=not changed
    )
    if report.further_hits:
        batch_publish(batch_id=batch.pk, actor=actor)
    return report


def _hits_lacking(batch: Batch) -> list[HIT]:
    """HITs that have not brought the good answers wanted; `n_all` and `n_good` are set."""
    good = Q(assignments__problem="") & ~Q(assignments__state=AssignmentState.REJECTED)
    hits = batch.hits.filter(hit_id__isnull=False).annotate(
        n_all=Count("assignments"), n_good=Count("assignments", filter=good)
    )
    return list(hits.filter(n_good__lt=F("answers_wanted")).order_by("index"))


def _grow(
    hit: HIT,
    known: CrowdHIT,
    gateway: Gateway,
    report: TopUpReport,
    pause: Callable[[float], object],
) -> None:
    """Bring the number of assignments to what is needed, or plan another HIT for the rest."""
    lacking = hit.answers_wanted - hit.n_good  # type: ignore[attr-defined]
    _intend(hit, hit.n_all + lacking)  # type: ignore[attr-defined]
    missing = hit.max_assignments - known.max_assignments
    if missing <= 0:
        return
    token = hashlib.sha256(f"{hit.request_token}\n{hit.max_assignments}".encode()).hexdigest()
    try:
        _add(hit, missing, token, gateway, pause)
        report.added += missing
    except CrossesTenError:
        _move_to_further_hit(hit, missing, gateway)
        report.further_hits += 1


def _move_to_further_hit(hit: HIT, missing: int, gateway: Gateway) -> None:
    """A HIT of fewer than ten assignments cannot reach ten: another one brings the rest.

    Below ten it keeps the lower fee. Whoever voted in the batch is kept out of it, as nothing else
    stops a worker from answering the same queries in another HIT.
    """
    batch = hit.batch
    voters_keep_out(batch=batch, gateway=gateway)
    with transaction.atomic():
        locked = Batch.objects.select_for_update().get(pk=batch.pk)
        locked.hit_type_id = batch.hit_type_id
        hit.refresh_from_db(fields=["max_assignments", "answers_wanted"])
        hit.max_assignments -= missing
        hit.answers_wanted -= missing
        hit.save(update_fields=["max_assignments", "answers_wanted"])
        money_release(batch=locked, amount=missing * hit.unit_cost)
        queries = [place.query for place in hit.places.select_related("query").order_by("place")]
        hits_add(batch=locked, pages=[(missing, queries)])


def _intend(hit: HIT, needed: int) -> None:
    with transaction.atomic():
        batch = Batch.objects.select_for_update().get(pk=hit.batch_id)
        hit.refresh_from_db(fields=["max_assignments"])
        more = needed - hit.max_assignments
        if more > 0:
            money_commit(batch=batch, amount=more * hit.unit_cost)
            hit.max_assignments = needed
            HIT.objects.filter(pk=hit.pk).update(max_assignments=needed)


def _add(
    hit: HIT, number: int, token: str, gateway: Gateway, pause: Callable[[float], object]
) -> None:
    try:
        gateway.add_assignments(str(hit.hit_id), number, token=token)
    except CrossesTenError:
        raise
    except CrowdRefusedError:
        if hit.published_at is None or timezone.now() - hit.published_at > _YOUNG:
            raise
        pause(_PAUSE_SECONDS)
        gateway.add_assignments(str(hit.hit_id), number, token=token)


def _reopen(hit: HIT, known: CrowdHIT, gateway: Gateway, report: TopUpReport) -> None:
    """A HIT that has expired is offered for another lifetime."""
    now = timezone.now()
    if known.expires_at is not None and known.expires_at > now:
        return
    until = now + timedelta(seconds=hit.batch.lifetime_seconds)
    gateway.extend(str(hit.hit_id), until)
    HIT.objects.filter(pk=hit.pk).update(expires_at=until)
    report.reopened += 1
