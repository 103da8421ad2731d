"""Work that is due by the clock, not by a person's wish."""

from datetime import timedelta

from django.conf import settings
from django.db.models import Max, Q
from django.utils import timezone

from annotation.models import Batch
from annotation.services.collecting import hits_open
from annotation.services.task_queue import task_enqueue
from annotation.vocabulary import BatchState, TaskKind

_ACTOR = "schedule"


def collecting_schedule() -> list[int]:
    """Ask for the answers of each batch that may have new ones; the ids of the tasks.

    A batch that was collected within the interval is left alone, so several schedules that run at
    once ask no more often than one.
    """
    if not settings.COLLECT_EVERY_SECONDS:
        return []
    since = timezone.now() - timedelta(seconds=settings.COLLECT_EVERY_SECONDS)
    open_states = (BatchState.PUBLISHING, BatchState.PUBLISHED, BatchState.STOPPED)
    batches = (
        Batch.objects.filter(state__in=open_states, environment=settings.MTURK_ENVIRONMENT)
        .annotate(last_asked=Max("tasks__created_at", filter=Q(tasks__kind=TaskKind.COLLECT)))
        .filter(Q(last_asked__isnull=True) | Q(last_asked__lte=since))
    )
    return [
        task_enqueue(kind=TaskKind.COLLECT, batch_id=batch.pk, actor=_ACTOR).pk
        for batch in batches
        if hits_open(batch).exists()
    ]
