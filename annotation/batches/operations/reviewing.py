"""Approving and rejecting work.

Nothing here rejects by itself: a rejection is a person's act on one answer, with a reason that the
worker reads and a way back. Reviews that the crowd reports are adopted as they are.
"""

from django.db import transaction

from annotation.batches.operations.collected_answers import count_votes_again
from annotation.core.audit import log_answer_event
from annotation.core.consent import Charge, Estimate
from annotation.core.erased import check_is_known
from annotation.core.money import lock_batch
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import WrongStateError
from annotation.crowd.gateway import Gateway
from annotation.labels.operations.decide_again import LabelChanges, decide_again
from annotation.models import Assignment, Batch, Worker
from annotation.vocabulary import AssignmentState, AuditAction
from metrics.errors import InputError

THANKS = "Thank you."


def get_assignment(*, batch: Batch, assignment_id: str) -> Assignment:
    """The batch's answer with this id; `InputError` if there is none, or if two workers have it."""
    answers = list(Assignment.objects.filter(hit__batch=batch, assignment_id=assignment_id)[:2])
    if len(answers) != 1:
        many = "more than one answer" if answers else "no collected answer"
        raise InputError(
            f"the batch {batch.name!r} has {many} with the id {assignment_id!r}.",
            remedy="`batch pay-list` shows the ids; `batch collect` collects.",
        )
    return answers[0]


def assignment_approve(*, assignment: Assignment, actor: str, feedback: str = THANKS) -> None:
    """Pay for one answer, readable or not."""
    batch = assignment.hit.batch
    approve_answer(assignment, batch_gateway(batch), feedback)
    _expect(assignment, AssignmentState.APPROVED)
    log_answer_event(assignment, actor, AuditAction.APPROVED)


def assignment_reject(*, assignment: Assignment, reason: str, actor: str) -> LabelChanges:
    """Refuse to pay for one answer; its votes count no longer. `assignment_restore` reverses it.

    The worker reads `reason`. Returns the changes of labels decided before.
    """
    if not reason.strip():
        raise InputError("a rejection needs a reason.", remedy="The worker reads it: be specific.")
    batch = assignment.hit.batch
    gateway = batch_gateway(batch)
    try:
        gateway.reject(assignment.assignment_id, feedback=reason)
    except WrongStateError:
        _take_over(assignment, gateway)
        _expect(assignment, AssignmentState.REJECTED)
    with transaction.atomic():
        lock_batch(batch.pk)
        _set_state(assignment, AssignmentState.REJECTED)
        assignment.votes.update(counts=False)
        log_answer_event(assignment, actor, AuditAction.REJECTED, reason=reason)
        return decide_again(batch=batch, actor=actor)


def assignment_restore(*, assignment: Assignment, reason: str, actor: str) -> LabelChanges:
    """Pay for an answer that was rejected, within 30 days; its votes count again.

    A vote stays discarded where the worker has another one on that query that counts. Returns the
    changes of labels decided before.
    """
    batch = assignment.hit.batch
    # Not `assignment.worker`: it may have been erased since the answer was read.
    check_is_known(Worker.objects.get(assignments=assignment))
    gateway = batch_gateway(batch)
    try:
        gateway.approve(assignment.assignment_id, feedback=reason, override=True)
    except WrongStateError:
        _take_over(assignment, gateway)
        _expect(assignment, AssignmentState.APPROVED)
    with transaction.atomic():
        lock_batch(batch.pk)
        _set_state(assignment, AssignmentState.APPROVED)
        count_votes_again(assignment.pk)
        log_answer_event(assignment, actor, AuditAction.RESTORED, reason=reason)
        return decide_again(batch=batch, actor=actor)


def estimate_answer(assignment: Assignment, *, state: AssignmentState) -> Estimate:
    """Cost of paying an answer that has to be in `state`; it is committed already."""
    if assignment.state != state:
        return Estimate(nothing=reviewed_already(assignment))
    reward, cost = assignment.hit.batch.reward, assignment.hit.unit_cost
    charge = Charge(reward, cost - reward, (assignment.pk,))
    return Estimate(n_answers=1, n_hits=1, charges=(charge,), committed=charge.cost)


def reviewed_already(assignment: Assignment) -> str:
    """Return the error that there is nothing to review."""
    return (
        f"The answer {assignment.assignment_id} is {assignment.state} already. What is approved is "
        "paid and stays so; what is rejected can be restored."
    )


def approve_answer(assignment: Assignment, gateway: Gateway, feedback: str) -> bool:
    """Pay for one answer; False where somebody rejected it before."""
    try:
        gateway.approve(assignment.assignment_id, feedback=feedback)
    except WrongStateError:
        _take_over(assignment, gateway)
    else:
        _set_state(assignment, AssignmentState.APPROVED)
    return assignment.state == AssignmentState.APPROVED


def _take_over(assignment: Assignment, gateway: Gateway) -> None:
    """Adopt an earlier review, by a person or the crowd's own delay."""
    _set_state(assignment, gateway.get_assignment(assignment.assignment_id).status)


def _set_state(assignment: Assignment, state: str) -> None:
    assignment.state = state
    Assignment.objects.filter(pk=assignment.pk).update(state=state)


def _expect(assignment: Assignment, state: str) -> None:
    if assignment.state != state:
        raise InputError(
            f"the answer {assignment.assignment_id} is {assignment.state} already.",
            remedy="What is approved is paid and stays so; what is rejected can be restored.",
        )
