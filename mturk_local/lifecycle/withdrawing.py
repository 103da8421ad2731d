"""Withdrawal by annotators: of answers without a review, and of their identity."""

from dataclasses import dataclass
from datetime import UTC, datetime

from django.db import transaction
from django.db.models import Max, QuerySet, Sum

from mturk_local import money
from mturk_local.eligibility import LEFT
from mturk_local.lifecycle.assignments import assignment_return
from mturk_local.lifecycle.events import event_emit
from mturk_local.lifecycle.slots import hit_lock, slot_free
from mturk_local.lifecycle.visits import visit_progress
from mturk_local.models import (
    HIT,
    Assignment,
    AssignmentState,
    PanelVisit,
    Requester,
    ReviewResult,
    VisitState,
    Withdrawal,
    Worker,
)
from mturk_local.workers import worker_erase

_EVER = datetime.min.replace(tzinfo=UTC)


@dataclass(frozen=True)
class AtStake:
    """Answers that a worker may still withdraw: `number` of them would pay `amount` US dollars.

    By `until` all of them are approved automatically; `in_hand` tasks are accepted.
    """

    number: int
    amount: str
    until: datetime | None
    in_hand: int


def answers_to_withdraw(
    worker: Worker, now: datetime, *, since: datetime = _EVER
) -> QuerySet[Assignment]:
    """Return the person's answers since then without a review or a bonus."""
    return Assignment.objects.filter(
        worker__person=worker.person,
        submitted_at__gte=since,
        state=AssignmentState.SUBMITTED,
        auto_approval_at__gt=now,
        bonuses=None,
    )


def at_stake(worker: Worker, now: datetime, *, since: datetime = _EVER) -> AtStake:
    """Return the losses of a person who withdraws everything since then."""
    answers = answers_to_withdraw(worker, now, since=since)
    total = answers.aggregate(
        cents=Sum("hit__hit_type__reward_cents"), until=Max("auto_approval_at")
    )
    return AtStake(
        number=answers.count(),
        amount=money.amount(total["cents"] or 0),
        until=total["until"],
        in_hand=_in_hand(worker, since).count(),
    )


@transaction.atomic(using="crowd")
def assignment_withdraw(*, assignment: Assignment, now: datetime) -> bool:
    """Delete the answer and offer its place to others; return whether it is withdrawn.

    A reviewed answer stays; withdrawing twice is not an error.
    """
    hit = hit_lock(assignment.hit_id)
    mine = Assignment.objects.filter(pk=assignment.pk)
    if not mine.filter(pk__in=answers_to_withdraw(assignment.worker, now)).update(
        state=AssignmentState.WITHDRAWN, ended_at=now, answer=""
    ):
        return mine.filter(state=AssignmentState.WITHDRAWN).exists()
    slot_free(hit)
    # With an open place the HIT is not reviewable any more, and becomes so again later.
    HIT.objects.filter(pk=hit.pk, expired=False).update(settled=False, reviewing=False)
    ReviewResult.objects.filter(hit=hit, subject_id=assignment.assignment_id).delete()
    _tell(hit.requester, assignment.worker, now, assignment.assignment_id)
    event_emit(hit=hit, kind="AssignmentReturned", at=now, assignment_id=assignment.assignment_id)
    return True


@transaction.atomic(using="crowd")
def participation_withdraw(*, worker: Worker, now: datetime) -> None:
    """Return the person's tasks, and withdraw every answer that can be.

    This also leaves panel visits, unless paid answers of theirs stay.
    """
    visits = list(worker.visits.exclude(state__in=LEFT).select_for_update())
    _take_back(worker, now, _EVER)
    for visit in visits:
        if not visit_progress(visit):
            _leave(visit)


@transaction.atomic(using="crowd")
def visit_leave(*, visit: PanelVisit, now: datetime) -> None:
    """Leave an open visit early, with all its tasks; leaving twice is not an error."""
    if PanelVisit.objects.select_for_update().get(pk=visit.pk).state == VisitState.OPEN:
        _take_back(visit.worker, now, visit.started_at)
        _leave(visit)
    visit.refresh_from_db(fields=["state"])


def _take_back(worker: Worker, now: datetime, since: datetime) -> None:
    held_or_let_go = _accepted(worker, since).filter(
        state__in=(AssignmentState.ACCEPTED, AssignmentState.ABANDONED)
    )
    for held in held_or_let_go.select_related("hit__hit_type", "hit__requester"):
        assignment_return(assignment=held, now=now)
    for answer in answers_to_withdraw(worker, now, since=since).select_related("worker"):
        assignment_withdraw(assignment=answer, now=now)


def _leave(visit: PanelVisit) -> None:
    # Consent is a part of an answer: without any, nobody has agreed.
    has_agreed = visit.worker.assignments.filter(submitted_at__gte=visit.started_at).exists()
    visit.state = VisitState.WITHDRAWN if has_agreed else VisitState.DECLINED
    visit.save(update_fields=["state"])


@transaction.atomic(using="crowd")
def person_erase(*, worker: Worker, now: datetime) -> PanelVisit | None:
    """Withdraw what can be, delete the person's identity in every channel, and notify requesters.

    Returns the worker's visit, as it was left, for the way back to its panel. Raises `AtWorkError`
    where an answer can be neither withdrawn nor left, as it is about to be paid.
    """
    participation_withdraw(worker=worker, now=now)
    visit = worker.visits.select_related("panel").last()
    everybody = list(Worker.objects.filter(person=worker.person))
    for member in everybody:
        for requester in Requester.objects.filter(hits__assignments__worker=member).distinct():
            _tell(requester, member, now)
        worker_erase(worker=member)
    return visit


def _in_hand(worker: Worker, since: datetime) -> QuerySet[Assignment]:
    return _accepted(worker, since).filter(state=AssignmentState.ACCEPTED)


def _accepted(worker: Worker, since: datetime) -> QuerySet[Assignment]:
    return Assignment.objects.filter(worker__person=worker.person, accepted_at__gte=since)


def _tell(requester: Requester, worker: Worker, now: datetime, assignment_id: str = "") -> None:
    Withdrawal.objects.get_or_create(
        requester=requester,
        worker_id=worker.worker_id,
        assignment_id=assignment_id,
        defaults={"at": now},
    )
