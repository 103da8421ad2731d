"""Periodic work of the site."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Exists, Max, OuterRef, Q, Subquery
from django.utils import timezone

from annotation.batches.operations.collect import find_open_hits
from annotation.batches.operations.ledger import publishing_end
from annotation.batches.operations.prolific.events import CATCH_UP_EVERY
from annotation.batches.operations.prolific.read_study import SCHEDULE
from annotation.batches.operations.prolific.study import COMPLETED, DRAFT
from annotation.core.operations import PUBLIC_STATES
from annotation.core.perform import queue_job
from annotation.models import HIT, Batch, ProlificEvent, ProlificStudy, Task
from annotation.models.tasks import LIVE_STATES
from annotation.prolific.connection import addresses_in_force
from annotation.prolific.statuses import OPEN
from annotation.vocabulary import BatchState, Environment, TaskKind, TaskState

#: Seconds after which a study is read again for unhandled events, and at the latest.
_SOON, _SELDOM = 30, 3_600
#: Kinds of tasks that publish HITs, and the time without sending after which one is taken for dead.
_PUBLISHING = (TaskKind.PUBLISH, TaskKind.TOP_UP, TaskKind.ADAPTIVE_ROUND)
_SILENT = timedelta(minutes=10)
#: Crowds do due work by themselves, but not to the minute.
_CROWD_IS_LATE = timedelta(hours=1)
#: Responses of the Task Builder may come after the submission that they belong to.
_RESPONSES_ARE_LATE = timedelta(days=1)


def collecting_schedule() -> list[int]:
    """Queue the collecting of each batch that may have new answers; return the ids of the tasks.

    Batches collected within the interval are skipped, so that several simultaneous schedules
    collect no more often than one. Also skipped are batches collected after their HITs had expired
    and the last answers had been approved: nothing can happen to these any more.
    """
    if not settings.COLLECT_EVERY_SECONDS:
        return []
    since = timezone.now() - timedelta(seconds=settings.COLLECT_EVERY_SECONDS)
    # What Prolific asks without this site is read whatever crowd the site has.
    is_asked = Q(environment=settings.MTURK_ENVIRONMENT) | Q(
        environment=Environment.PROLIFIC, prolific_study__isnull=False
    )
    open_states = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)
    batches = (
        Batch.objects.filter(is_asked, state__in=open_states)
        .annotate(
            last_asked=Max("tasks__created_at", filter=Q(tasks__kind=TaskKind.COLLECT)),
            last_expiry=Max("hits__expires_at"),
        )
        .filter(Q(last_asked__isnull=True) | Q(last_asked__lte=since))
    )
    return [
        queue_job(kind=TaskKind.COLLECT, subject=batch, actor=SCHEDULE)[0].pk
        for batch in batches
        if not _is_over(batch, batch.last_asked, batch.last_expiry)
        and find_open_hits(batch).exists()
    ]


def recruiting_schedule() -> list[int]:
    """Queue the reading of each changed study on Prolific; return the ids of the tasks.

    Where Prolific sends events, this only checks that it does, and handles what nobody has read
    yet.
    """
    if not settings.PROLIFIC_EVERY_SECONDS:
        return []
    now = timezone.now()
    ago = {seconds: now - timedelta(seconds=seconds) for seconds in (_SOON, _SELDOM)}
    often = now - timedelta(seconds=settings.PROLIFIC_EVERY_SECONDS)
    readings = Task.objects.filter(kind=TaskKind.READ_PROLIFIC, batch=OuterRef("batch"))
    studies = (
        ProlificStudy.objects.filter(
            study_id__isnull=False,
            workspace__address__in=addresses_in_force(),
            batch__state__in=PUBLIC_STATES,
        )
        .exclude(status=DRAFT)
        .annotate(
            asked_at=Subquery(readings.order_by("-pk").values("created_at")[:1]),
            how=Subquery(readings.order_by("-pk").values("state")[:1]),
            waits=Exists(
                ProlificEvent.objects.filter(
                    Q(study=OuterRef("pk")) | Q(study=None, workspace=OuterRef("workspace")),
                    worked_off_at=None,
                )
            ),
        )
    )
    is_told = Q(workspace__is_told=True)
    needs_to_catch_up = is_told & (
        Q(workspace__caught_up_at=None) | Q(workspace__caught_up_at__lte=now - CATCH_UP_EVERY)
    )
    is_calm = is_told | Q(status=COMPLETED)
    due = (
        Q(asked_at=None)
        | Q(waits=True, asked_at__lte=ago[_SOON])
        | (needs_to_catch_up & Q(asked_at__lte=now - CATCH_UP_EVERY))
        | (~is_calm & Q(asked_at__lte=often))
        | Q(asked_at__lte=ago[_SELDOM])
    )
    # Failures that a person has to mend are not logged repeatedly.
    is_worth_it = Q(how=None) | ~Q(how=TaskState.FAILED) | Q(asked_at__lte=now - CATCH_UP_EVERY)
    return [
        queue_job(kind=TaskKind.READ_PROLIFIC, subject=study.batch, actor=SCHEDULE)[0].pk
        for study in studies.filter(due & is_worth_it).select_related("batch")
    ]


def reservations_schedule() -> None:
    """Release the reservations of killed publishers that no task continues."""
    before = timezone.now() - _SILENT
    reserved = HIT.objects.exclude(reserved_at=None).order_by().values("batch")
    stale = reserved.annotate(since=Max("reserved_at")).filter(since__lt=before).values("batch")
    live = Task.objects.filter(kind__in=_PUBLISHING, state__in=LIVE_STATES, batch=OuterRef("pk"))
    at_work = HIT.objects.filter(sent_at__gte=before, batch=OuterRef("pk"))
    for batch in Batch.objects.filter(~Exists(live), ~Exists(at_work), pk__in=stale):
        publishing_end(batch)


def _is_over(batch: Batch, last_asked: datetime | None, last_expiry: datetime | None) -> bool:
    if batch.uses_task_builder:
        return last_asked is not None and _is_reviewed_at_prolific(batch, last_asked)
    if last_asked is None or last_expiry is None:
        return False
    # A worker who accepts at the last moment has the whole duration, and is then paid by the crowd.
    still = timedelta(seconds=batch.duration_seconds + batch.auto_approval_seconds)
    return last_asked > last_expiry + still + _CROWD_IS_LATE


def _is_reviewed_at_prolific(batch: Batch, last_asked: datetime) -> bool:
    """Return whether the study has ended, and was collected well after everybody's review."""
    study = batch.prolific_study
    if study.status != COMPLETED or study.submissions.filter(status__in=OPEN).exists():
        return False
    last = study.submissions.aggregate(last=Max("completed_at"))["last"]
    return last is None or last_asked > last + _RESPONSES_ARE_LATE
