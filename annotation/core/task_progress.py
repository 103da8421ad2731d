"""Tasks and their progress."""

from collections.abc import Iterable
from datetime import timedelta

from django.conf import settings
from django.db.models import DurationField, F, Q, QuerySet, Value
from django.db.models.functions import Coalesce, Now

from annotation.models import Batch, Study, Task
from annotation.models.tasks import LIVE_STATES
from annotation.vocabulary import LONG_KINDS, Lane, TaskState

_RECENT = 50
#: The longest wait of a task.
LONGEST_DELAY = timedelta(hours=1)


def due() -> Q:
    """Select the tasks that a worker may take: those that need not wait, and those of dead workers.

    A time further ahead than any that is ever stored dates from before the database's clock was set
    back, and is ignored: dead workers would keep their tasks until then. The lease of the worker
    that holds the task decides how far ahead that is; ours may be another.
    """
    ours = Value(timedelta(seconds=settings.TASK_LEASE_SECONDS), DurationField())
    lease = Coalesce(F("lease"), ours)
    waiting = Q(run_after__lte=Now()) | Q(run_after__gt=Now() + LONGEST_DELAY)
    silent = Q(lease_until__lt=Now()) | Q(lease_until__gt=Now() + lease + lease)
    return Q(waiting, state=TaskState.QUEUED) | Q(silent, state=TaskState.RUNNING)


def task_list(*, batch_id: int | None = None, limit: int = 100) -> QuerySet[Task]:
    """The latest tasks first, of one batch or of all."""
    tasks = Task.objects.select_related("batch", "study").order_by("-pk")
    if batch_id is not None:
        tasks = tasks.filter(batch_id=batch_id)
    return tasks[:limit]


def study_tasks_running(*, study: Study) -> list[Task]:
    """Live tasks of a study as a whole; in order of kind."""
    return list(Task.objects.filter(study=study, state__in=LIVE_STATES).order_by("kind"))


def answers_being_decided(*, batch: Batch) -> frozenset[int]:
    """Return the keys of the batch's answers that have an unfinished task."""
    live = Task.objects.filter(batch=batch, assignment__isnull=False, state__in=LIVE_STATES)
    return frozenset(live.values_list("assignment_id", flat=True))


def of_lane(lane: str) -> Q:
    """The jobs of one lane; all of them where no lane is named."""
    if not lane:
        return Q()
    is_long = Q(kind__in=LONG_KINDS)
    return is_long if lane == Lane.LONG else ~is_long


def has_due(lane: str) -> bool:
    """Return whether there is a task for a worker of the lane now."""
    return Task.objects.filter(due(), of_lane(lane)).exists()


def tasks_due() -> list[int]:
    """The ids of tasks that a worker could take up now, the longest waiting first."""
    return list(Task.objects.filter(due()).order_by("run_after", "pk").values_list("pk", flat=True))


def tasks_to_tell(*, batch: Batch) -> list[Task]:
    """Return the tasks for the batch's pages: the latest of each kind that has not succeeded."""
    latest: dict[str, Task] = {}
    for task in Task.objects.filter(batch=batch).order_by("-pk")[:_RECENT]:
        latest.setdefault(task.kind, task)
    return [task for task in latest.values() if task.state in (*LIVE_STATES, TaskState.FAILED)]


def live_kinds(tasks: Iterable[Task]) -> str:
    """Return the unfinished among `tasks`: a page that shows them is reloaded when they change."""
    return ",".join(sorted(task.kind for task in tasks if task.state in LIVE_STATES))
