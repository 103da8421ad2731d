"""The ledger of publishing: each step is one short transaction, and none spans a call.

A HIT is `planned`; while it is reserved its money is held, with that of all HITs that a publisher
is about to send; `sent` is committed before the crowd is called; `published` once its id is
known; `refused` when the crowd said no. A `sent` HIT may or may not exist: only asking tells.
"""

from datetime import datetime

from django.utils import timezone

from annotation.core.money import holds_money
from annotation.models import HIT, AuditEvent, Batch
from annotation.vocabulary import AuditAction, BatchState, HITState
from metrics.errors import InputError

#: What no publisher has sent, or what the crowd has refused.
_WAITING = (HITState.PLANNED, HITState.REFUSED)


class BatchStoppedError(InputError):
    """Somebody stopped the batch while it was being published."""


@holds_money
def publishing_begin(batch: Batch, *, endpoint: str, actor: str) -> None:
    """Hold the money of every HIT that was not sent yet: of all of them, or `BudgetError`.

    A draft is being published from then on, and its HITs are of the crowd at `endpoint`.
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
    """Give back what is held for HITs that were not sent."""
    batch.hits.exclude(reserved_at=None).update(reserved_at=None)


@holds_money
def publishing_stop(batch: Batch) -> None:
    """Let no publisher send any more of it; what was held for that is given back."""
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.STOPPED)
    batch.hits.exclude(reserved_at=None).update(reserved_at=None)


def _reserve(batch: Batch) -> None:
    waiting = batch.hits.filter(state__in=_WAITING, reserved_at=None)
    waiting.update(reserved_at=timezone.now())


def hit_intend(*, hit: HIT, token: str) -> bool:
    """Commit that `hit` will be asked for with `token`; False if another publisher did.

    The money that it may cost was held before, with that of all the others. A HIT that was sent
    before keeps the token and the time of its first use, for whatever that first use has made.
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
        _reserve(batch)  # another publisher has ended, and given back what it had not sent
    first = hit.sent_at is None
    claimed = HIT.objects.filter(pk=hit.pk, state=hit.state).update(
        state=HITState.SENT,
        reserved_at=None,
        request_token=token if first else hit.request_token,
        sent_at=timezone.now() if first else hit.sent_at,
    )
    return bool(claimed)


def hit_forget_token(*, hit: HIT) -> None:
    """The token's memory has run out and no HIT came of it: its time starts anew."""
    hit.sent_at = timezone.now()
    HIT.objects.filter(pk=hit.pk, state=hit.state).update(sent_at=hit.sent_at)


def hit_record_published(*, hit: HIT, hit_id: str, expires_at: datetime | None) -> None:
    """The crowd has the HIT, as `hit_id`. Whoever learns it may say so; once known, it stays."""
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
    """The crowd said no to this HIT; its money is free again."""
    _record_refused(hit.batch, hit, reason)


@holds_money
def _record_refused(_batch: Batch, hit: HIT, reason: str) -> None:
    refused = {"state": HITState.REFUSED, "error": reason}
    HIT.objects.filter(pk=hit.pk, state=HITState.SENT).update(**refused)


def hit_record_unknown(*, hit: HIT, reason: str) -> None:
    """The HIT may exist: it stays `sent`, with the reason why nobody knows."""
    HIT.objects.filter(pk=hit.pk, state=HITState.SENT).update(error=reason)
