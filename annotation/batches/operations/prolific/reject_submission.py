"""Rejecting a submission on Prolific, or asking for its return. Only people reject."""

from dataclasses import dataclass

from django.utils import timezone

from annotation.batches.operations.prolific.approving import WAITING
from annotation.batches.operations.prolific.read_study import store_submissions
from annotation.batches.operations.prolific.study import log_study, study_at_prolific, study_row
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Batch, ProlificSubmission
from annotation.vocabulary import Action, AuditAction, Permit
from metrics.errors import InputError

_CATEGORIES = [
    ("FAILED_CHECK", "Failed the checks"),
    ("FAILED_INSTRUCTIONS", "Did not follow the instructions"),
    ("LOW_EFFORT", "Low effort"),
    ("NO_DATA", "No answers arrived"),
    ("NO_CODE", "Gave no code"),
    ("BAD_CODE", "Gave a wrong code"),
    ("TOO_QUICKLY", "Too quick"),
    ("TOO_SLOWLY", "Too slow"),
    ("MALINGERING", "Pretended"),
    ("INCOMP_LONGITUDINAL", "Left out a part of several"),
    ("UNSUPP_DEVICE", "Used a device that does not do"),
    ("OTHER", "Another reason"),
]
_SHORTEST, _LONGEST = 100, 2_000


def _submission_parameter() -> str:
    text: str = parameter(max_length=24, label="Submission", help_text="Its id at Prolific.")
    return text


@dataclass(frozen=True, kw_only=True)
class RejectSubmissionParameters:
    submission: str = _submission_parameter()
    category: str = parameter(choices=_CATEGORIES, label="Category")
    message: str = parameter(
        min_length=_SHORTEST,
        max_length=_LONGEST,
        label="What the participant reads",
        help_text=f"At least {_SHORTEST} characters: what was wrong with the answers.",
        style={"rows": 4},
    )


class RejectSubmission(Operation[Batch, RejectSubmissionParameters]):
    """Reject one submission on Prolific, with a reason that the participant reads.

    It is not paid, and counts against the participant there. Its votes do not count here.
    """

    name = "reject submission"
    path = "prolific/reject"
    example = {
        "submission": "6f0c1d2e3f405162738495a6",
        "category": "NO_DATA",
        "message": "You entered the completion code, but none of your answers has arrived here, "
        "neither for the first nor for a later HIT.",
    }
    page = "reject-submission"
    title = "Reject a submission on Prolific"
    button = "Reject"
    subject = Batch
    parameters = RejectSubmissionParameters
    permission = Action.PAY
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES
    asks_first = True

    def estimate(self, subject: Batch, parameters: RejectSubmissionParameters) -> Estimate:
        return _estimate(subject, parameters.submission)

    def run(self, subject: Batch, parameters: RejectSubmissionParameters, run: Run) -> Result:
        row, prolific, _ = study_at_prolific(subject)
        submission = _submission(subject, parameters.submission)
        log_study(
            subject, run.actor.name, AuditAction.PROLIFIC_SUBMISSION_REJECTED,
            submission=submission.submission_id, category=parameters.category,
        )  # fmt: skip
        ProlificSubmission.objects.filter(pk=submission.pk).update(approved_by="")
        prolific.reject(
            submission.submission_id, category=parameters.category, message=parameters.message
        )
        at = timezone.now()
        store_submissions(row, [prolific.submission(submission.submission_id)], at)
        submission.refresh_from_db()
        return Result(
            {"status": submission.status}, f"The submission is {submission.status.lower()}."
        )


@dataclass(frozen=True, kw_only=True)
class RequestReturnParameters:
    submission: str = _submission_parameter()
    reason: str = parameter(max_length=500, help_text="What the participant reads.")


class RequestReturn(Operation[Batch, RequestReturnParameters]):
    """Ask a participant to return the submission, which does them no harm and is not paid."""

    name = "request return"
    path = "prolific/request-return"
    example = {"submission": "6f0c1d2e3f405162738495a6", "reason": "You did not agree."}
    page = "request-return"
    title = "Ask for the return of a submission"
    button = "Ask for its return"
    subject = Batch
    parameters = RequestReturnParameters
    permission = Action.PAY
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES

    def estimate(self, subject: Batch, parameters: RequestReturnParameters) -> Estimate:
        return _estimate(subject, parameters.submission)

    def run(self, subject: Batch, parameters: RequestReturnParameters, run: Run) -> Result:
        _row, prolific, _ = study_at_prolific(subject)
        submission = _submission(subject, parameters.submission)
        prolific.request_return(submission.submission_id, parameters.reason)
        log_study(
            subject, run.actor.name, AuditAction.PROLIFIC_RETURN_REQUESTED,
            submission=submission.submission_id,
        )  # fmt: skip
        return Result(
            {"submission": submission.submission_id}, "The participant is asked to return it."
        )


REJECT_SUBMISSION, REQUEST_RETURN = RejectSubmission(), RequestReturn()


def _submission(batch: Batch, submission_id: str) -> ProlificSubmission:
    row = study_row(batch)
    submission = row.submissions.filter(submission_id=submission_id.strip()).first()
    if submission is None:
        raise InputError(
            f"{submission_id} is not a submission of this study, as last read.",
            remedy="Refresh the study.",
        )
    return submission


def _estimate(batch: Batch, submission_id: str) -> Estimate:
    submission = _submission(batch, submission_id)
    facts = (("Participant", submission.participant), ("Prolific says", submission.status.lower()))
    nothing = "" if submission.status == WAITING else f"It is {submission.status.lower()}."
    return Estimate(n_answers=1, facts=facts, nothing=nothing)
