"""Tasks that started automatically: held while their page is open, and after the first answer.

A worker may leave such a task without having requested it. So its `deadline` is two minutes away,
and the open page extends it; a task that was left is abandoned like every overdue one.
"""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.slots import hit_lock, slot_take
from mturk_local.models import Assignment, AssignmentState

#: Time for which a task is held after its page was left.
LEASE = timedelta(minutes=2)


def assignment_hold(*, assignment: Assignment, now: datetime, is_begun: bool) -> bool:
    """Extend the task: to its full time once it `is_begun`, else for `LEASE` from `now`.

    A task that was abandoned takes its slot again, if that is free. Returns whether the task is the
    worker's; nothing is ever held for a shorter time than before.
    """
    last = assignment.last_moment
    if last < now:
        return False
    until = last if is_begun else min(last, now + LEASE)
    mine = Assignment.objects.filter(pk=assignment.pk)
    try:
        with transaction.atomic(using="crowd"):
            hit = hit_lock(assignment.hit_id)
            if mine.filter(state=AssignmentState.ACCEPTED).exists():
                mine.filter(deadline__lt=until).update(deadline=until)
                return True
            gone = let_go(assignment)
            if not gone.exists() or not slot_take(hit.pk, now):
                return False
            gone.update(state=AssignmentState.ACCEPTED, ended_at=None, deadline=until)
            event_emit(
                hit=assignment.hit,
                kind="AssignmentAccepted",
                at=now,
                assignment_id=assignment.assignment_id,
            )
            return True
    except IntegrityError:  # its id has been given to somebody else, or the person has a new one
        return False


def let_go(assignment: Assignment) -> QuerySet[Assignment]:
    """Return the assignment if its page was left before its full time: it can be resumed."""
    return Assignment.objects.filter(
        pk=assignment.pk, state=AssignmentState.ABANDONED, ended_at__lt=assignment.last_moment
    )
