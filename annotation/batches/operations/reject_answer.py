"""Reject one answer. A person's act; the API has no way to it."""

from dataclasses import dataclass

from annotation.batches.operations.reviewing import assignment_reject, reviewed_already
from annotation.batches.queries.answers import answer_state
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.core.versions import State
from annotation.models import Assignment
from annotation.vocabulary import AssignmentState, TaskKind


@dataclass(frozen=True, kw_only=True)
class RejectAnswerParameters:
    reason: str = parameter(max_length=1_024, help_text="What the worker reads: be specific.")


class RejectAnswer(Operation[Assignment, RejectAnswerParameters]):
    """Reject one answer, with a reason that the worker reads.

    It is not paid, and its votes do not count. It can be restored for 30 days.
    """

    name = "reject answer"
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
        assignment_reject(assignment=subject, reason=parameters.reason, actor=run.actor.name)
        values = {"assignment": subject.assignment_id, "state": subject.state}
        return Result(values, f"{subject.assignment_id}: rejected; its votes do not count.")


REJECT_ANSWER = RejectAnswer()
