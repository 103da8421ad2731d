"""Changes that time alone makes: abandoning and approving assignments, expiring and disposing HITs.

A worker does it every second (`sweep`). Every request that reads or changes HITs sweeps, too, so
that a site without a worker is up to date; it sweeps at most `MOST_IN_A_REQUEST` items, so no
annotator waits for the approval of a thousand answers. Without due items that costs two indexed
reads. Permissions follow from the times themselves, swept or not.
"""

from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Q

from mturk_local.lifecycle import funds
from mturk_local.lifecycle.assignments import assignment_abandon
from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.reviewable import hit_mark_reviewable
from mturk_local.lifecycle.slots import hit_lock
from mturk_local.models import HIT, Assignment, AssignmentState

#: As on Amazon, a HIT that nobody touches is disposed of after 120 days.
_RETENTION = timedelta(days=120)
#: Most assignments, and HITs, that a request updates: some tenths of a second.
MOST_IN_A_REQUEST = 20


def sweep(now: datetime, *, most: int | None = None) -> None:
    """Bring the stored state up to `now`; at most so many assignments and HITs."""
    overdue = Assignment.objects.filter(
        Q(state=AssignmentState.ACCEPTED, deadline__lt=now)
        | Q(state=AssignmentState.SUBMITTED, auto_approval_at__lte=now)
    ).select_related("hit__hit_type", "hit__requester")
    for assignment in list(overdue.order_by("pk")[:most]):
        if assignment.state == AssignmentState.ACCEPTED:
            assignment_abandon(assignment=assignment, now=now)
        else:
            _auto_approve(assignment)
    due = HIT.objects.filter(disposed_at=None).filter(
        Q(expired=False, expiration__lte=now) | Q(expired=True, expiration__lte=now - _RETENTION)
    )
    for hit in list(due.select_related("hit_type", "requester").order_by("pk")[:most]):
        if hit.expired:
            _dispose(hit, now)
        else:
            _expire(hit, now)


@transaction.atomic(using="crowd")
def _expire(hit: HIT, now: datetime) -> None:
    """Carry out the expiry of `hit`: its open slots hold no money any more."""
    current = hit_lock(hit.pk)
    if HIT.objects.filter(pk=hit.pk, expired=False, expiration__lte=now).update(expired=True):
        funds.release(current.requester_id, current.open_slots * current.cost_cents)
        event_emit(hit=hit, kind="HITExpired", at=hit.expiration)
        hit_mark_reviewable(hit_id=hit.pk, now=now)


@transaction.atomic(using="crowd")
def _dispose(hit: HIT, now: datetime) -> None:
    if HIT.objects.filter(pk=hit.pk, disposed_at=None).update(disposed_at=now):
        event_emit(hit=hit, kind="HITDisposed", at=now)


@transaction.atomic(using="crowd")
def _auto_approve(assignment: Assignment) -> None:
    approved = Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.SUBMITTED).update(
        state=AssignmentState.APPROVED, approved_at=assignment.auto_approval_at
    )
    hit = assignment.hit
    if approved and assignment.auto_approval_at:
        funds.spend_held(hit.requester_id, hit.cost_cents)
        event_emit(
            hit=hit,
            kind="AssignmentApproved",
            at=assignment.auto_approval_at,
            assignment_id=assignment.assignment_id,
        )
