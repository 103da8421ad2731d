"""Tasks that came by themselves: held while their page is open, and firmly with the first answer.

Who goes away without an answer, has left a task that nobody asked for. So its `deadline` is two
minutes away, and the open page moves it on; what is left is abandoned as everything overdue is.
"""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.slots import hit_lock, slot_take
from mturk_local.models import Assignment, AssignmentState

#: So long a task is held whose page was left.
LEASE = timedelta(minutes=2)


def assignment_hold(*, assignment: Assignment, now: datetime, is_begun: bool) -> bool:
    """Hold the task on: to its last moment once it `is_begun`, else for `LEASE` from `now`.

    A task that was let go takes its slot again, if that is free. Returns whether the task is the
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
    """The assignment if its page was left: what ended before its last moment is not used up."""
    return Assignment.objects.filter(
        pk=assignment.pk, state=AssignmentState.ABANDONED, ended_at__lt=assignment.last_moment
    )
