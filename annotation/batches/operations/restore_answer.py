"""Restore one answer that was rejected."""

from dataclasses import dataclass

from annotation.batches.operations.reviewing import (
    assignment_restore,
    estimate_answer,
)
from annotation.batches.queries.answers import answer_state
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.models import Assignment
from annotation.vocabulary import Action, AssignmentState, TaskKind


@dataclass(frozen=True, kw_only=True)
class RestoreAnswerParameters:
    reason: str = parameter(max_length=1_024, help_text="What the worker reads.")


class RestoreAnswer(Operation[Assignment, RestoreAnswerParameters]):
    """Pay for an answer that a person rejected, within 30 days; its votes count again."""

    name = "restore answer"
    path = "restore"
    example = {"reason": "We were wrong, sorry."}
    title = "Restore"
    queued = "Restoring and paying; its votes will count again."
    subject = Assignment
    parameters = RestoreAnswerParameters
    permission = Action.PAY
    states = PUBLIC_STATES
    job = TaskKind.RESTORE_ANSWER
    is_divisible = True

    def seen(self, subject: Assignment, parameters: RestoreAnswerParameters) -> State:
        return answer_state(subject)

    def estimate(self, subject: Assignment, parameters: RestoreAnswerParameters) -> Estimate:
        """The money of a rejected answer stays committed."""
        return estimate_answer(subject, state=AssignmentState.REJECTED)

    def run(self, subject: Assignment, parameters: RestoreAnswerParameters, run: Run) -> Result:
        assignment_restore(assignment=subject, reason=parameters.reason, actor=run.actor.name)
        values = {"assignment": subject.assignment_id, "state": subject.state}
        return Result(values, f"{subject.assignment_id}: approved; its votes count again.")


RESTORE_ANSWER = RestoreAnswer()
