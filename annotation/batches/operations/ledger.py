"""The ledger of publishing: each step is one short transaction, and none spans a call.

A HIT is `planned`; `sent` is committed before the crowd is called; `published` once its id is
known; `refused` when the crowd said no. A `sent` HIT may or may not exist: only asking tells.
"""

from datetime import datetime

from django.db import transaction
from django.utils import timezone

from annotation.core.money import money_commit, money_release
from annotation.models import HIT, Batch
from annotation.vocabulary import BatchState, HITState
from metrics.errors import InputError


class BatchStoppedError(InputError):
    """Somebody stopped the batch while it was being published."""


def hit_intend(*, hit: HIT, token: str) -> bool:
    """Commit that `hit` will be asked for with `token`; False if another publisher did.

    The money that it may cost is committed with it, within the batch's budget. A HIT that was sent
    before keeps the token and the time of its first use, for whatever that first use has made.
    """
    with transaction.atomic():
        batch = Batch.objects.select_for_update().get(pk=hit.batch_id)
        if batch.state != BatchState.PUBLISHING:
            raise BatchStoppedError(f"the batch {batch.name!r} was stopped.")
        if hit.state == HITState.SENT:
            return True
        first = hit.sent_at is None
        claimed = HIT.objects.filter(pk=hit.pk, state=hit.state).update(
            state=HITState.SENT,
            request_token=token if first else hit.request_token,
            sent_at=timezone.now() if first else hit.sent_at,
        )
        if claimed:
            money_commit(batch=batch, amount=hit.unit_cost * hit.max_assignments)
    hit.refresh_from_db(fields=["state", "request_token", "sent_at"])
    return bool(claimed)


def hit_forget_token(*, hit: HIT) -> None:
    """The token's memory has run out and no HIT came of it: its time starts anew."""
    hit.sent_at = timezone.now()
    HIT.objects.filter(pk=hit.pk, state=hit.state).update(sent_at=hit.sent_at)


def hit_record_published(*, hit: HIT, hit_id: str, expires_at: datetime | None) -> None:
    """The crowd has the HIT, as `hit_id`. Whoever learns it may say so; once known, it stays."""
    HIT.objects.filter(pk=hit.pk).exclude(state=HITState.PUBLISHED).update(
        state=HITState.PUBLISHED,
        hit_id=hit_id,
        published_at=timezone.now(),
        expires_at=expires_at,
        error="",
    )


def hit_record_refused(*, hit: HIT, reason: str) -> None:
    """The crowd said no to this HIT; its money is free again."""
    with transaction.atomic():
        batch = Batch.objects.select_for_update().get(pk=hit.batch_id)
        refused = HIT.objects.filter(pk=hit.pk, state=HITState.SENT).update(
            state=HITState.REFUSED, error=reason
        )
        if refused:
            money_release(batch=batch, amount=hit.unit_cost * hit.max_assignments)


def hit_record_unknown(*, hit: HIT, reason: str) -> None:
    """The HIT may exist: it stays `sent`, with the reason why nobody knows."""
    HIT.objects.filter(pk=hit.pk, state=HITState.SENT).update(error=reason)
