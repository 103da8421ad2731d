"""Approve submissions on Prolific."""

from dataclasses import dataclass

from django.db.models import QuerySet
from django.utils import timezone

from annotation.batches.operations.prolific.approving import AT_WORK, WAITING, send_approvals
from annotation.batches.operations.prolific.read_study import store_submissions
from annotation.batches.operations.prolific.study import log_study, study_at_prolific, study_row
from annotation.core.consent import Estimate
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Batch, ProlificStudy, ProlificSubmission
from annotation.vocabulary import Action, AuditAction, Permit
from metrics.errors import InputError

_CODES = [("completed", "Everybody who answered"), ("no place", "Who found no free HIT")]


@dataclass(frozen=True, kw_only=True)
class ApproveSubmissionsParameters:
    submission: str = parameter(
        "",
        max_length=24,
        allow_blank=True,
        label="Submission",
        help_text="Id of one submission; empty: all with this code.",
    )
    code: str = parameter("completed", choices=_CODES, label="Whom")


class ApproveSubmissions(Operation[Batch, ApproveSubmissionsParameters]):
    """Approve submissions on Prolific, which pays them from the places that are paid already.

    Prolific approves a little later; reading the study shows it. A participant who is still at work
    is approved once they submit.
    """

    name = "approve submissions"
    path = "prolific/approve"
    example = {"code": "completed"}
    page = "approve-submissions"
    title = "Approve submissions on Prolific"
    button = "Approve"
    subject = Batch
    parameters = ApproveSubmissionsParameters
    permission = Action.PAY
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES

    def estimate(self, subject: Batch, parameters: ApproveSubmissionsParameters) -> Estimate:
        n = _chosen(study_row(subject), parameters).count()
        facts = (("Submissions", f"{n:,}, as read last"),)
        return Estimate(n_answers=n, facts=facts, nothing="" if n else "Nobody waits for approval.")

    def run(self, subject: Batch, parameters: ApproveSubmissionsParameters, run: Run) -> Result:
        row, prolific, market_study = study_at_prolific(subject)
        at = timezone.now()
        store_submissions(row, prolific.submissions(market_study.study_id), at)
        chosen = _chosen(row, parameters)
        n = chosen.filter(approved_by="").update(approved_by=run.actor.name)
        if n:
            log_study(
                subject, run.actor.name, AuditAction.PROLIFIC_SUBMISSIONS_APPROVED, submissions=n
            )
        n_sent = send_approvals(row=row, prolific=prolific)
        n_later = row.submissions.filter(status__in=AT_WORK).exclude(approved_by="").count()
        later = f" {n_later} will be, once they are handed in." if n_later else ""
        return Result(
            {"asked": n_sent, "later": n_later},
            f"Prolific is approving {n_sent:,} submissions; reading shows when it is done.{later}",
        )


APPROVE_SUBMISSIONS = ApproveSubmissions()


def _chosen(
    row: ProlificStudy, parameters: ApproveSubmissionsParameters
) -> QuerySet[ProlificSubmission]:
    if not parameters.submission:
        if parameters.code == "completed":
            return row.finished_submissions().filter(status=WAITING)
        return row.submissions.filter(status=WAITING, code=row.codes.get(parameters.code, "-"))
    chosen = row.submissions.filter(submission_id=parameters.submission)
    if not chosen.exists():
        raise InputError(
            f"{parameters.submission} is not a submission of this study, as last read.",
            remedy="Refresh the study.",
        )
    return chosen.filter(status__in=(WAITING, *AT_WORK))
