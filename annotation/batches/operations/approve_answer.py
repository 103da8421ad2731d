"""Approve and pay one answer."""

from dataclasses import dataclass

from annotation.batches.operations.reviewing import (
    THANKS,
    assignment_approve,
    estimate_answer,
)
from annotation.batches.queries.answers import answer_state
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.models import Assignment
from annotation.vocabulary import LONGEST_FEEDBACK, Action, AssignmentState, TaskKind


@dataclass(frozen=True, kw_only=True)
class ApproveAnswerParameters:
    feedback: str = parameter(
        THANKS, max_length=LONGEST_FEEDBACK, help_text="What the worker reads."
    )


class ApproveAnswer(Operation[Assignment, ApproveAnswerParameters]):
    """Pay for an answer, readable or not."""

    name = "approve answer"
    spends = True
    path = "approve"
    example = {"feedback": "Thank you."}
    title = "Approve and pay"
    queued = "Approving and paying."
    subject = Assignment
    parameters = ApproveAnswerParameters
    permission = Action.PAY
    states = PUBLIC_STATES
    job = TaskKind.APPROVE_ANSWER
    is_divisible = True

    def seen(self, subject: Assignment, parameters: ApproveAnswerParameters) -> State:
        return answer_state(subject)

    def estimate(self, subject: Assignment, parameters: ApproveAnswerParameters) -> Estimate:
        """Estimate the cost, which is committed already."""
        return estimate_answer(subject, state=AssignmentState.SUBMITTED)

    def run(self, subject: Assignment, parameters: ApproveAnswerParameters, run: Run) -> Result:
        assignment_approve(assignment=subject, actor=run.actor.name, feedback=parameters.feedback)
        values = {"assignment": subject.assignment_id, "state": subject.state}
        return Result(values, f"{subject.assignment_id}: approved and paid.")


APPROVE_ANSWER = ApproveAnswer()
