"""Read who took part in a study on Prolific."""

from collections import Counter
from collections.abc import Iterable
from datetime import UTC, datetime

from django.conf import settings
from django.utils import timezone

from annotation.batches.operations.prolific.study import DRAFT, study_at_prolific
from annotation.batches.operations.verification import verdicts_bring_over
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import NoParameters
from annotation.core.perform import queue_job
from annotation.crowd.connection import environment_participants
from annotation.crowd.errors import CrowdRefusedError
from annotation.labels.export.pseudonyms import person
from annotation.models import Batch, ProlificStudy, ProlificSubmission
from annotation.prolific.client import MarketSubmission
from annotation.vocabulary import Permit, TaskKind

_CHUNK = 500
#: What Prolific's statuses say about a participant's answers; any other one is not known yet.
_VERDICTS = {
    "APPROVED": "approved",
    "PARTIALLY APPROVED": "approved",
    "REJECTED": "refused",
    "RETURNED": "refused",
    "TIMED-OUT": "refused",
    "SCREENED OUT": "refused",
}


class ReadStudy(Operation[Batch, NoParameters]):
    """Read the study and its submissions from Prolific, and have the answers collected.

    What Prolific says of a submission is the proof of who took part: votes of participants whom
    it approved count from then on, and labels that were decided are decided again.
    """

    name = "read study"
    path = "prolific/read"
    title = button = "Read anew"
    queued = "Prolific is being read."
    subject = Batch
    parameters = NoParameters
    permit = Permit.RECRUIT
    states = PUBLIC_STATES
    job = TaskKind.READ_PROLIFIC

    def run(self, subject: Batch, parameters: NoParameters, run: Run) -> Result:
        row, prolific, found = study_at_prolific(subject)
        if found.status == DRAFT:
            return Result({"submissions": 0}, "The draft is there; nobody has seen it.")
        submissions = list(prolific.submissions(found.study_id))
        submissions_store(row, submissions)
        run.advance(1)
        _bring_to_crowd(subject, submissions)
        changes = verdicts_bring_over(batch=subject, actor=run.actor.name)
        queue_job(kind=TaskKind.COLLECT, subject=subject, actor=run.actor.name)
        counts = Counter(one.status.lower() for one in submissions)
        told = ", ".join(f"{number} {status}" for status, number in sorted(counts.items()))
        return Result(
            {"submissions": len(submissions), "labels_changed": changes.n_changed},
            f"The study is {found.status.lower()}: {told or 'nobody came yet'}. {changes.in_words}",
        )


READ_STUDY = ReadStudy()


def submissions_store(row: ProlificStudy, submissions: Iterable[MarketSubmission]) -> None:
    """Store what Prolific said of each submission just now; doing it twice changes nothing."""
    at = timezone.now()
    rows = [
        ProlificSubmission(
            study=row,
            submission_id=one.submission_id,
            participant=person(f"prolific:{one.participant_id}", key=settings.SECRET_KEY),
            status=one.status,
            code=one.code[:100],
            started_at=_moment(one.started_at),
            completed_at=_moment(one.completed_at),
            read_at=at,
        )
        for one in submissions
    ]
    ProlificSubmission.objects.bulk_create(
        rows,
        batch_size=_CHUNK,
        update_conflicts=True,
        unique_fields=["submission_id"],
        update_fields=["status", "code", "started_at", "completed_at", "read_at"],
    )


def _bring_to_crowd(batch: Batch, submissions: list[MarketSubmission]) -> None:
    """Tell the crowd service, whose check of panels then needs no list made by hand."""
    service = environment_participants(batch.environment)
    known = [
        (one.participant_id, one.submission_id, _VERDICTS.get(one.status, "waiting"))
        for one in submissions
        if one.participant_id
    ]
    if service is None or not known:
        return
    try:
        service.import_submissions(known)
    except CrowdRefusedError as error:
        # Nobody of them has accepted a HIT yet.
        if not error.code.endswith("OtherPanel"):
            raise


def _moment(text: str) -> datetime | None:
    try:
        found = datetime.fromisoformat(text)
    except ValueError:
        return None
    return found if found.tzinfo else found.replace(tzinfo=UTC)
