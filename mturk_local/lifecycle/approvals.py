"""Submitted assignments are approved and paid, or rejected with a reason."""

from datetime import datetime, timedelta

from django.db import transaction

from mturk_local.errors import RequestError
from mturk_local.lifecycle import funds
from mturk_local.lifecycle.events import event_emit
from mturk_local.models import Assignment, AssignmentState

#: Time after the submission in which a rejection can be reversed.
_OVERRIDE = timedelta(days=30)


@transaction.atomic(using="crowd")
def assignment_approve(
    *, assignment: Assignment, feedback: str, override_rejection: bool, now: datetime
) -> None:
    """Approve and pay. A rejected one only with `override_rejection`, for 30 days."""
    mine = Assignment.objects.filter(pk=assignment.pk)
    outcome = {"state": AssignmentState.APPROVED, "approved_at": now, "feedback": feedback}
    hit = assignment.hit
    if mine.filter(state=AssignmentState.SUBMITTED).update(**outcome):
        funds.spend_held(hit.requester_id, hit.cost_cents)
        _tell(assignment, "AssignmentApproved", now)
        return
    late = mine.filter(state=AssignmentState.REJECTED, submitted_at__gt=now - _OVERRIDE)
    if override_rejection and hit.disposed_at is None and late.update(**outcome, rejected_at=None):
        funds.spend(hit.requester_id, hit.cost_cents)
        _tell(assignment, "AssignmentApproved", now)
        return
    raise _not_submitted()


@transaction.atomic(using="crowd")
def assignment_reject(*, assignment: Assignment, feedback: str, now: datetime) -> None:
    """Refuse payment. The slot stays taken: a requester who wants another answer asks for one."""
    # Overdue answers count as approved, whether or not the sweep has reached them.
    open_still = Assignment.objects.filter(
        pk=assignment.pk, state=AssignmentState.SUBMITTED, auto_approval_at__gt=now
    )
    rejected = open_still.update(state=AssignmentState.REJECTED, rejected_at=now, feedback=feedback)
    if not rejected:
        raise _not_submitted()
    funds.release(assignment.hit.requester_id, assignment.hit.cost_cents)
    _tell(assignment, "AssignmentRejected", now)


def _tell(assignment: Assignment, kind: str, now: datetime) -> None:
    event_emit(hit=assignment.hit, kind=kind, at=now, assignment_id=assignment.assignment_id)


def _not_submitted() -> RequestError:
    return RequestError(
        "This operation can be called with a status of: Submitted",
        turk_code="InvalidAssignmentState",
    )
