"""A worker's side of an assignment: accepted, then returned or submitted."""

from datetime import datetime, timedelta

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from mturk_local.eligibility import has_left
from mturk_local.ids import entity_id
from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.holding import LEASE, assignment_hold, let_go
from mturk_local.lifecycle.reviewable import hit_mark_reviewable
from mturk_local.lifecycle.reviews import assignment_review
from mturk_local.lifecycle.slots import hit_lock, slot_free, slot_take
from mturk_local.models import DONE_STATES, HIT, Assignment, AssignmentState, Worker


class WorkError(Exception):
    """A worker cannot do this now; the text is shown to the worker."""


class LeftError(WorkError):
    """A panel's participant who has left the study asks for a task."""

    def __init__(self) -> None:
        super().__init__(
            _(
                "You have left the study, so you cannot take a task any more. My visit says how "
                "to go back to the panel. To take part in another study, open it there."
            )
        )


def assignment_accept(
    *, worker: Worker, hit: HIT, now: datetime, is_asked_for: bool = True
) -> Assignment:
    """Give `worker` a slot of `hit`, or raise `WorkError`.

    A task that they did not request is held for `LEASE` only, see `assignment_hold`.

    Taking the slot locks the HIT's row, so of two workers who accept the last slot at the same
    time one gets it and the other is told that it is gone.
    """
    duration = timedelta(seconds=hit.hit_type.assignment_duration)
    try:
        with transaction.atomic(using="crowd"):
            if has_left(worker, is_locked=True):
                raise LeftError
            if not slot_take(hit.pk, now):
                raise WorkError(_("This task is no longer available. Somebody else has taken it."))
            accepted = Assignment.objects.create(
                assignment_id=_free_id(hit) or entity_id(),
                hit=hit,
                worker=worker,
                person=worker.person,
                accepted_at=now,
                deadline=now + (duration if is_asked_for else min(duration, LEASE)),
            )
            _tell(accepted, "AssignmentAccepted", now)
            return accepted
    except IntegrityError:
        raise WorkError(_("You have already accepted or done this task.")) from None


def _free_id(hit: HIT) -> str | None:
    """Return the id of an abandoned or returned assignment, which Amazon issues again."""
    in_use = Assignment.objects.filter(hit=hit, state__in=DONE_STATES).values("assignment_id")
    given_up = Assignment.objects.filter(hit=hit).exclude(assignment_id__in=in_use)
    return given_up.values_list("assignment_id", flat=True).first()


@transaction.atomic(using="crowd")
def assignment_return(*, assignment: Assignment, now: datetime) -> None:
    """Give the slot back without an answer; a returned task cannot be resumed."""
    hit = hit_lock(assignment.hit_id)
    returned = Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.ACCEPTED).update(
        state=AssignmentState.RETURNED, ended_at=now
    )
    if returned:
        slot_free(hit)
        _tell(assignment, "AssignmentReturned", now)
        hit_mark_reviewable(hit_id=hit.pk, now=now)
    else:
        let_go(assignment).update(state=AssignmentState.RETURNED)


@transaction.atomic(using="crowd")
def assignment_abandon(*, assignment: Assignment, now: datetime) -> None:
    """End an assignment whose time has run out."""
    hit = hit_lock(assignment.hit_id)
    ended = Assignment.objects.filter(pk=assignment.pk, state=AssignmentState.ACCEPTED).update(
        state=AssignmentState.ABANDONED, ended_at=assignment.deadline
    )
    if ended:
        slot_free(hit)
        _tell(assignment, "AssignmentAbandoned", assignment.deadline)
        hit_mark_reviewable(hit_id=hit.pk, now=now)


@transaction.atomic(using="crowd")
def assignment_submit(*, assignment: Assignment, answer: str, now: datetime) -> None:
    """Store the answer exactly once. The same answer twice changes nothing and is not an error."""
    hit_lock(assignment.hit_id)
    stored = _store(assignment, answer, now) or (
        assignment_hold(assignment=assignment, now=now, is_begun=True)
        and _store(assignment, answer, now)
    )
    assignment.refresh_from_db(fields=["state", "answer", "submitted_at", "auto_approval_at"])
    if stored:
        _tell(assignment, "AssignmentSubmitted", now)
        assignment_review(assignment=assignment, now=now)
        hit_mark_reviewable(hit_id=assignment.hit_id, now=now)
    elif assignment.state in {AssignmentState.RETURNED, AssignmentState.WITHDRAWN}:
        raise WorkError(_("You have returned this task, so its answer cannot be taken."))
    elif assignment.state in {AssignmentState.ACCEPTED, AssignmentState.ABANDONED}:
        raise WorkError(_("The time for this task has run out, so its answer cannot be taken."))
    elif assignment.answer != answer:
        raise WorkError(
            _(
                "You have submitted this task before, from another tab or window. The answers "
                "that came first are stored; these were not taken."
            )
        )


def _store(assignment: Assignment, answer: str, now: datetime) -> bool:
    """Store the answer if the task is the worker's; return whether it was."""
    mine = Assignment.objects.filter(
        pk=assignment.pk, state=AssignmentState.ACCEPTED, deadline__gte=now
    )
    delay = timedelta(seconds=assignment.hit.hit_type.auto_approval_delay)
    n_stored = mine.update(
        state=AssignmentState.SUBMITTED,
        answer=answer,
        submitted_at=now,
        deadline=assignment.last_moment,
        auto_approval_at=now + delay,
    )
    return n_stored == 1


def _tell(assignment: Assignment, kind: str, at: datetime) -> None:
    event_emit(hit=assignment.hit, kind=kind, at=at, assignment_id=assignment.assignment_id)
