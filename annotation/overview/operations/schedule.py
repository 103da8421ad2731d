"""Work that is due by the clock, not by a person's wish."""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import Max, Q
from django.utils import timezone

from annotation.batches.operations.collect import hits_open
from annotation.core.perform import queue_job
from annotation.models import Batch
from annotation.vocabulary import BatchState, TaskKind

_ACTOR = "schedule"
#: Crowds do by themselves what is due, but not to the minute.
_CROWD_IS_LATE = timedelta(hours=1)


def collecting_schedule() -> list[int]:
    """Ask for the answers of each batch that may have new ones; the ids of the tasks.

    A batch that was collected within the interval is left alone, so several schedules that run at
    once ask no more often than one. So is one that was collected after its HITs had expired, their
    last answers had come in, and these had been approved: nothing can happen to it any more.
    """
    if not settings.COLLECT_EVERY_SECONDS:
        return []
    since = timezone.now() - timedelta(seconds=settings.COLLECT_EVERY_SECONDS)
    open_states = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)
    batches = (
        Batch.objects.filter(state__in=open_states, environment=settings.MTURK_ENVIRONMENT)
        .annotate(
            last_asked=Max("tasks__created_at", filter=Q(tasks__kind=TaskKind.COLLECT)),
            last_expiry=Max("hits__expires_at"),
        )
        .filter(Q(last_asked__isnull=True) | Q(last_asked__lte=since))
    )
    return [
        queue_job(kind=TaskKind.COLLECT, subject=batch, actor=_ACTOR)[0].pk
        for batch in batches
        if not _is_over(batch, batch.last_asked, batch.last_expiry) and hits_open(batch).exists()
    ]


def _is_over(batch: Batch, last_asked: datetime | None, last_expiry: datetime | None) -> bool:
    if last_asked is None or last_expiry is None:
        return False
    # Whoever accepted at the last moment has the whole duration, and is then paid by the crowd.
    still = timedelta(seconds=batch.duration_seconds + batch.auto_approval_seconds)
    return last_asked > last_expiry + still + _CROWD_IS_LATE
