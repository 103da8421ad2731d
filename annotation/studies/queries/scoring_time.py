"""Estimate of the time for scoring a collection, from earlier ones on this site."""

from django.db.models import Sum

from annotation.models import Study, Task
from annotation.vocabulary import FileKind, TaskKind, TaskState

#: Number of earlier scorings to use, and the largest ratio of sizes: the time of a much smaller
#: collection is mostly that of starting.
_LATEST, _TIMES = 20, 10
#: Progress is counted in thousands of bytes, so that any collection fits into a whole number.
UNIT = 1_000


def scoring_seconds(*, study: Study) -> float | None:
    """Seconds at the slowest pace of earlier scorings; None where none was of about this size."""
    parts = study.files.filter(kind=FileKind.COLLECTION, archived_at=None)
    units = (parts.aggregate(size=Sum("size"))["size"] or 0) // UNIT
    alike = Task.objects.filter(
        kind=TaskKind.SCORE,
        state=TaskState.DONE,
        started_at__isnull=False,
        finished_at__isnull=False,
        total__gt=0,
        total__range=(units // _TIMES, units * _TIMES),
    )
    # The slowest: scores that exist already take no time.
    paces = [
        (task.finished_at - task.started_at).total_seconds() / task.total
        for task in alike.order_by("-pk")[:_LATEST]
        if task.started_at and task.finished_at and task.total
    ]
    return max(paces) * units if paces else None
