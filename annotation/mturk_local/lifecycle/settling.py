"""What happens when a HIT becomes reviewable: its policy is carried out, its requester is told."""

from datetime import datetime

from annotation.mturk_local.lifecycle.events import event_emit
from annotation.mturk_local.lifecycle.reviews import hit_review
from annotation.mturk_local.models import HIT
from annotation.mturk_local.status import reviewable


def hit_settle(*, hit_id: int, now: datetime) -> None:
    """Act upon the HIT's having become reviewable, if it has; to be called inside a transaction.

    `hit_id` is the primary key. A later extension lets the HIT become reviewable anew.
    """
    due = reviewable(HIT.objects.filter(pk=hit_id, settled=False), now)
    hit = due.select_related("hit_type", "requester").first()
    if hit is None or not HIT.objects.filter(pk=hit_id, settled=False).update(settled=True):
        return
    if not hit_review(hit=hit, now=now):
        event_emit(hit=hit, kind="HITReviewable", at=now)
