"""A HIT becomes reviewable: its policy is carried out, and its requester is notified."""

from datetime import datetime

from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.reviews import hit_review
from mturk_local.models import HIT
from mturk_local.status import reviewable


def hit_mark_reviewable(*, hit_id: int, now: datetime) -> None:
    """Review the HIT if it has become reviewable; to be called inside a transaction.

    `hit_id` is the primary key. After a later extension the HIT becomes reviewable again.
    """
    due = reviewable(HIT.objects.filter(pk=hit_id, settled=False), now)
    hit = due.select_related("hit_type", "requester").first()
    if hit is None or not HIT.objects.filter(pk=hit_id, settled=False).update(settled=True):
        return
    if not hit_review(hit=hit, now=now):
        event_emit(hit=hit, kind="HITReviewable", at=now)
