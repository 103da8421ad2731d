"""Approve and pay the readable answers of a batch."""

from collections.abc import Collection
from dataclasses import dataclass
from decimal import Decimal

from annotation.batches.operations.reviewing import THANKS, approve_answer
from annotation.batches.operations.withdrawals import delete_withdrawn_answers
from annotation.core.audit import log_money_event
from annotation.core.consent import Charge, Estimate, Key
from annotation.core.counting import counted
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.crowd.connection import batch_gateway
from annotation.models import Assignment, Batch
from annotation.vocabulary import (
    LONGEST_FEEDBACK,
    Action,
    AssignmentState,
    AuditAction,
    TaskKind,
)


@dataclass(frozen=True, kw_only=True)
class ApproveParameters:
    feedback: str = parameter(
        THANKS,
        max_length=LONGEST_FEEDBACK,
        label="What workers read",
        help_text="The same for all of them.",
    )


class Approve(Operation[Batch, ApproveParameters]):
    """Pay for every readable answer that nobody has reviewed.

    Unreadable answers wait for a person, on the page of their worker. Nothing is ever rejected.
    """

    name = "approve"
    spends = True
    path = "approve"
    example = {"feedback": "Thank you."}
    page = "approve"
    title = "Approve and pay"
    button = "Approve and pay"
    queued = "Approving and paying."
    subject = Batch
    parameters = ApproveParameters
    permission = Action.PAY
    states = PUBLIC_STATES
    job = TaskKind.APPROVE
    is_divisible = True

    def seen(self, subject: Batch, parameters: ApproveParameters) -> State:
        return {"Readable answers that wait for a review": f"{len(answers_waiting(subject)):,}"}

    def estimate(self, subject: Batch, parameters: ApproveParameters) -> Estimate:
        """Estimate the cost, which is committed already."""
        waiting = answers_waiting(subject)
        by_price: dict[Decimal, list[Assignment]] = {}
        for answer in waiting:
            by_price.setdefault(answer.hit.unit_cost, []).append(answer)
        charges = tuple(
            Charge(subject.reward, cost - subject.reward, tuple(answer.pk for answer in answers))
            for cost, answers in sorted(by_price.items())
        )
        return Estimate(
            n_answers=len(waiting),
            n_hits=len({answer.hit_id for answer in waiting}),
            charges=charges,
            committed=sum((charge.cost for charge in charges), Decimal("0.00")),
            facts=(("Readable answers that wait for a review", f"{len(waiting):,}"),),
            nothing="" if waiting else "No answer waits for a review.",
        )

    def run(self, subject: Batch, parameters: ApproveParameters, run: Run) -> Result:
        approved = approve_waiting(
            subject,
            actor=run.actor.name,
            feedback=parameters.feedback,
            among=None if run.consent is None else run.consent.subjects,
        )
        return Result({"approved": approved}, f"{counted(approved, 'answer')} approved.")


def answers_waiting(batch: Batch, among: Collection[Key] | None = None) -> list[Assignment]:
    """The readable answers that nobody has reviewed, in order; if given, only `among` these."""
    waiting = Assignment.objects.filter(
        hit__batch=batch, state=AssignmentState.SUBMITTED, problem=""
    ).select_related("hit")
    return [answer for answer in waiting.order_by("pk") if among is None or answer.pk in among]


def approve_waiting(
    batch: Batch, *, actor: str, feedback: str = THANKS, among: Collection[Key] | None = None
) -> int:
    """Pay for the waiting answers, each once; return their number."""
    gateway = batch_gateway(batch)
    delete_withdrawn_answers(environment=batch.environment)
    waiting = answers_waiting(batch, among)
    approved = sum(approve_answer(answer, gateway, feedback) for answer in waiting)
    if approved:
        log_money_event(
            batch=batch, actor=actor, action=AuditAction.APPROVED, detail={"assignments": approved}
        )
    return approved


APPROVE = Approve()
