"""Reject one answer, and restore one that was rejected. The API has no way to reject."""

from dataclasses import dataclass

from annotation.batches.operations.reviewing import (
    assignment_reject,
    assignment_restore,
    estimate_answer,
    reviewed_already,
)
from annotation.batches.queries.answers import answer_state
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.models import Assignment
from annotation.vocabulary import LONGEST_FEEDBACK, Action, AssignmentState, TaskKind


@dataclass(frozen=True, kw_only=True)
class RejectAnswerParameters:
    reason: str = parameter(
        max_length=LONGEST_FEEDBACK, help_text="What the worker reads: be specific."
    )


class RejectAnswer(Operation[Assignment, RejectAnswerParameters]):
    """Reject one answer, with a reason that the worker reads.

    It is not paid, and its votes do not count. It can be restored for 30 days.
    """

    name = "reject answer"
    example = {"reason": "All ten answers were left at the first."}
    title = "Reject"
    queued = "Rejecting. The answer is not paid, its votes will not count; restoring takes it back."
    subject = Assignment
    parameters = RejectAnswerParameters
    states = PUBLIC_STATES
    job = TaskKind.REJECT_ANSWER

    def seen(self, subject: Assignment, parameters: RejectAnswerParameters) -> State:
        return answer_state(subject)

    def estimate(self, subject: Assignment, parameters: RejectAnswerParameters) -> Estimate:
        is_open = subject.state == AssignmentState.SUBMITTED
        return Estimate(
            n_answers=int(is_open), nothing="" if is_open else reviewed_already(subject)
        )

    def run(self, subject: Assignment, parameters: RejectAnswerParameters, run: Run) -> Result:
        changes = assignment_reject(
            assignment=subject, reason=parameters.reason, actor=run.actor.name
        )
        values = {"assignment": subject.assignment_id, "state": subject.state}
        message = f"{subject.assignment_id}: rejected; its votes do not count. {changes.in_words}"
        return Result(values | {"labels_changed": changes.n_changed}, message)


@dataclass(frozen=True, kw_only=True)
class RestoreAnswerParameters:
    reason: str = parameter(max_length=LONGEST_FEEDBACK, help_text="What the worker reads.")


class RestoreAnswer(Operation[Assignment, RestoreAnswerParameters]):
    """Pay for an answer that a person rejected, within 30 days; its votes count again."""

    name = "restore answer"
    spends = True
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
        changes = assignment_restore(
            assignment=subject, reason=parameters.reason, actor=run.actor.name
        )
        values = {"assignment": subject.assignment_id, "state": subject.state}
        message = f"{subject.assignment_id}: approved; its votes count again. {changes.in_words}"
        return Result(values | {"labels_changed": changes.n_changed}, message)


REJECT_ANSWER = RejectAnswer()
RESTORE_ANSWER = RestoreAnswer()
