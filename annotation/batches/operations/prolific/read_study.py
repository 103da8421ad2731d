"""Reading a study on Prolific and its participants."""

from collections import Counter
from collections.abc import Iterable
from datetime import datetime

from django.conf import settings
from django.db import transaction
from django.utils import timezone

from annotation.batches.operations.prolific.approving import send_approvals
from annotation.batches.operations.prolific.bonuses import read_bonuses
from annotation.batches.operations.prolific.events import close_events, find_events, open_events
from annotation.batches.operations.prolific.study import DRAFT, study_at_prolific
from annotation.batches.operations.verification import apply_panel_verdicts
from annotation.core.audit import log_money_event
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.core.perform import queue_job
from annotation.crowd.connection import environment_participants
from annotation.crowd.errors import CrowdRefusedError
from annotation.labels.export.pseudonyms import person
from annotation.models import Batch, ProlificStudy, ProlificSubmission
from annotation.prolific.events import moment
from annotation.prolific.statuses import PAID, verdict_of
from annotation.prolific.wire import MarketSubmission
from annotation.vocabulary import AuditAction, Permit, TaskKind

#: Actor of periodic readings.
SCHEDULE = "schedule"
_CHUNK = 500
#: Readings of one job, while events come; later events get another job.
_MOST_READINGS = 5


class ReadStudy(Operation[Batch, NoParameters]):
    """Read the study and its submissions from Prolific, and have the answers collected.

    Prolific's status of a submission proves who took part: votes of approved participants count
    from then on, and decided labels are decided again.
    """

    name = "read study"
    path = "prolific/read"
    title = button = "Refresh"
    queued = "Prolific is being read."
    subject = Batch
    parameters = NoParameters
    permit = Permit.RECRUIT
    states = PUBLIC_STATES
    job = TaskKind.READ_PROLIFIC

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        row, prolific, market_study = study_at_prolific(subject)
        if market_study.status == DRAFT:
            return Result({"submissions": 0}, "The draft is there; nobody has seen it.")
        find_events(row, prolific)
        for _ in range(_MOST_READINGS):
            events = open_events(row)
            at = timezone.now()
            submissions = list(prolific.submissions(market_study.study_id))
            store_submissions(row, submissions, at)
            run.advance(1)
            send_approvals(row=row, prolific=prolific)
            read_bonuses(study=row.pk, prolific=prolific)
            _bring_to_crowd(subject, submissions)
            changes = apply_panel_verdicts(batch=subject, actor=run.actor.name)
            close_events(events)
            if not open_events(row):
                break
        # The log shows at once what was paid there since.
        log_money_event(
            batch=subject, actor=run.actor.name, action=AuditAction.PROLIFIC_PAYMENTS_READ,
            detail={"approved": sum(submission.status in PAID for submission in submissions)},
            only_if_changed=True,
        )  # fmt: skip
        if run.actor.name != SCHEDULE:  # which collects by its own clock
            queue_job(kind=TaskKind.COLLECT, subject=subject, actor=run.actor.name)
        counts = Counter(submission.status.lower() for submission in submissions)
        states = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        return Result(
            {"submissions": len(submissions), "labels_changed": changes.n_changed},
            f"The study is {market_study.status.lower()}: {states or 'nobody came yet'}. "
            f"{changes.in_words}",
        )


READ_STUDY = ReadStudy()


def store_submissions(
    row: ProlificStudy, submissions: Iterable[MarketSubmission], at: datetime
) -> None:
    """Store each submission's state, as read `at` this time.

    Doing it twice changes nothing, and never overwrites a later reading.
    """
    rows = [
        ProlificSubmission(
            study=row,
            submission_id=submission.submission_id,
            participant=person(f"prolific:{submission.participant_id}", key=settings.SECRET_KEY),
            status=submission.status,
            code=submission.code[:100],
            started_at=moment(submission.started_at),
            completed_at=moment(submission.completed_at),
            read_at=at,
        )
        for submission in submissions
    ]
    with transaction.atomic():
        ProlificStudy.objects.select_for_update().get(pk=row.pk)
        newer = set(row.submissions.filter(read_at__gt=at).values_list("submission_id", flat=True))
        ProlificSubmission.objects.bulk_create(
            [row for row in rows if row.submission_id not in newer],
            batch_size=_CHUNK,
            update_conflicts=True,
            unique_fields=["submission_id"],
            update_fields=["status", "code", "started_at", "completed_at", "read_at"],
        )


def _bring_to_crowd(batch: Batch, submissions: list[MarketSubmission]) -> None:
    """Tell the crowd service, so that it needs no imported list of the panel."""
    service = environment_participants(batch.environment)
    known = [
        (submission.participant_id, submission.submission_id, verdict_of(submission.status))
        for submission in submissions
        if submission.participant_id
    ]
    if service is None or not known:
        return
    try:
        service.import_submissions(known)
    except CrowdRefusedError as error:
        # None of them has accepted a HIT yet.
        if not error.code.endswith("OtherPanel"):
            raise
