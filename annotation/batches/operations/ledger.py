"""The ledger of publishing: each step is one short transaction, and none spans a call.

A HIT is `planned`; while a publisher is about to send it, its money is held with that of all others
to be sent; `sent` is committed before the crowd is called; `published` once its id is known;
`refused` when the crowd said no. A `sent` HIT may or may not exist: only asking the crowd tells.
"""

from datetime import datetime

from django.utils import timezone

from annotation.core.money import holds_money
from annotation.models import HIT, AuditEvent, Batch
from annotation.vocabulary import AuditAction, BatchState, HITState
from metrics.errors import InputError

#: States of HITs that no publisher has sent, or that the crowd has refused.
_WAITING = (HITState.PLANNED, HITState.REFUSED)


class BatchStoppedError(InputError):
    """Somebody stopped the batch while it was being published."""


@holds_money
def publishing_begin(batch: Batch, *, endpoint: str, actor: str) -> None:
    """Hold the money of all HITs that were not sent yet; or `BudgetError`.

    A draft is being published from then on, and its HITs belong to the crowd at `endpoint`.
    """
    if batch.state in (BatchState.STOPPED, BatchState.IMPORTED):
        raise InputError(
            f"the batch {batch.name!r} is {batch.get_state_display().lower()}.",
            remedy="Create another batch for what is still to be labelled.",
        )
    if batch.state == BatchState.DRAFT and not batch.endpoint:
        begun = {"state": BatchState.PUBLISHING, "endpoint": endpoint}
        Batch.objects.filter(pk=batch.pk).update(**begun)
        action, detail = AuditAction.PUBLISHING_BEGUN, {"at": endpoint}
        AuditEvent.objects.create(batch=batch, actor=actor, action=action, detail=detail)
    _reserve(batch)


@holds_money
def publishing_end(batch: Batch) -> None:
    """Release the money held for HITs that were not sent."""
    batch.hits.exclude(reserved_at=None).update(reserved_at=None)


@holds_money
def publishing_stop(batch: Batch) -> None:
    """Let no publisher send more of it, and release the money held for that."""
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.STOPPED)
    batch.hits.exclude(reserved_at=None).update(reserved_at=None)


def _reserve(batch: Batch) -> None:
    waiting = batch.hits.filter(state__in=_WAITING, reserved_at=None)
    waiting.update(reserved_at=timezone.now())


def hit_intend(*, hit: HIT, token: str) -> bool:
    """Commit that `hit` will be asked for with `token`; False if another publisher did.

    The money that it may cost was held before, with that of all the others. A HIT that was sent
    before keeps the token and the time of its first use, which may have made it.
    """
    is_mine = _intend(hit.batch, hit, token)
    hit.refresh_from_db(fields=["state", "request_token", "sent_at"])
    return is_mine


@holds_money
def _intend(batch: Batch, hit: HIT, token: str) -> bool:
    if batch.state != BatchState.PUBLISHING:
        raise BatchStoppedError(f"the batch {batch.name!r} was stopped.")
    if hit.state == HITState.SENT:
        return True
    if not batch.hits.filter(pk=hit.pk, reserved_at__isnull=False).exists():
        _reserve(batch)  # another publisher ended and released the money of unsent HITs
    first = hit.sent_at is None
    claimed = HIT.objects.filter(pk=hit.pk, state=hit.state).update(
        state=HITState.SENT,
        reserved_at=None,
        request_token=token if first else hit.request_token,
        sent_at=timezone.now() if first else hit.sent_at,
    )
    return bool(claimed)


def hit_forget_token(*, hit: HIT) -> None:
    """Start the token's time again: the crowd has forgotten it, and no HIT came of it."""
    hit.sent_at = timezone.now()
    HIT.objects.filter(pk=hit.pk, state=hit.state).update(sent_at=hit.sent_at)


def hit_record_published(*, hit: HIT, hit_id: str, expires_at: datetime | None) -> None:
    """Record that the crowd has the HIT, as `hit_id`; once recorded, that stays."""
    _record_published(hit.batch, hit, hit_id, expires_at)


@holds_money
def _record_published(_batch: Batch, hit: HIT, hit_id: str, expires_at: datetime | None) -> None:
    HIT.objects.filter(pk=hit.pk).exclude(state=HITState.PUBLISHED).update(
        state=HITState.PUBLISHED,
        reserved_at=None,
        hit_id=hit_id,
        published_at=timezone.now(),
        expires_at=expires_at,
        error="",
    )


def hit_record_refused(*, hit: HIT, reason: str) -> None:
    """Record that the crowd refused this HIT, and release its money."""
    _record_refused(hit.batch, hit, reason)


@holds_money
def _record_refused(_batch: Batch, hit: HIT, reason: str) -> None:
    refused = {"state": HITState.REFUSED, "error": reason}
    HIT.objects.filter(pk=hit.pk, state=HITState.SENT).update(**refused)


def hit_record_unknown(*, hit: HIT, reason: str) -> None:
    """Record why it is unknown whether the HIT exists; it stays `sent`."""
    HIT.objects.filter(pk=hit.pk, state=HITState.SENT).update(error=reason)
