"""Numbers for those who run the site, in a number of statements that does not grow."""

from collections.abc import Mapping

from django.db.models import Count, Min, Model
from django.utils import timezone

from annotation.models import HIT, Assignment, Batch, Task
from annotation.vocabulary import AssignmentState, BatchState, HITState, TaskState

#: By state.
Counts = dict[str, float]


def counts() -> dict[str, tuple[str, Counts]]:
    """Meaning of each number, and its value by state."""
    return {
        "tasks": ("Background tasks.", _by_state(Task, TaskState.values)),
        "batches": ("Batches.", _by_state(Batch, BatchState.values)),
        "hits": ("HITs of all batches.", _by_state(HIT, HITState.values)),
        "answers": ("Collected answers.", _by_state(Assignment, AssignmentState.values)),
        "task_wait_seconds": (
            "How long the task that waits longest has been due.",
            {TaskState.QUEUED: _longest_wait()},
        ),
    }


def _by_state(kind: type[Model], states: list[str]) -> Counts:
    rows: Mapping[str, int] = dict(
        kind._default_manager.order_by().values_list("state").annotate(Count("pk"))  # noqa: SLF001 - Django's documented way
    )
    return {state: float(rows.get(state, 0)) for state in states}


def _longest_wait() -> float:
    waiting = Task.objects.filter(state=TaskState.QUEUED)
    since = waiting.aggregate(since=Min("run_after"))["since"]
    return 0.0 if since is None else max(0.0, (timezone.now() - since).total_seconds())
