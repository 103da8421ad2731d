"""The life of a task: claimed, prolonged, ended. Each step is one conditional update.

Leases follow the clock of the database, which all machines share; `finished_at` and the like are
for people.
"""

import uuid
from collections.abc import Mapping
from datetime import timedelta
from typing import Any

from django.db import connection
from django.db.models import F
from django.db.models.functions import Now
from django.utils import timezone

from annotation.core.task_progress import LONGEST_DELAY, due, of_lane
from annotation.models import Task
from annotation.vocabulary import TaskKind, TaskState, what_stays
from metrics.errors import InputError

#: Failed attempts, because something a task needs is away, before a person must look.
MAX_FAILURES = 10
#: Deaths of workers at a task before it is taken for the cause: kills from outside seldom hit the
#: same task so often.
MAX_DEATHS = 5
_FIRST_DELAY = timedelta(seconds=30)
_CANDIDATES = 20
#: Lease columns of a task that nobody holds.
_FREE: dict[str, None] = {"claim": None, "lease_until": None, "lease": None}


class TaskLostError(Exception):
    """The lease ran out, and the task belongs to somebody else, or to nobody."""


def task_claim(
    *, worker: str, lease: timedelta, task_id: int | None = None, lane: str = ""
) -> Task | None:
    """Claim the next due task for `worker`, for the time `lease`; None if there is none.

    With `task_id`, that task or none; with a `lane`, one of its jobs. Of simultaneous claims one
    succeeds.
    """
    candidates = Task.objects.filter(due(), of_lane(lane))
    if task_id is not None:
        candidates = candidates.filter(pk=task_id)
    for candidate in candidates.order_by("run_after", "pk")[:_CANDIDATES]:
        if candidate.cancel_requested:
            _end(candidate, TaskState.CANCELLED)
        elif _crash_count(candidate) >= MAX_DEATHS:
            rest = _REST.get(candidate.kind, "start it again for the rest")
            stays = what_stays(candidate.kind).capitalize()
            error = _DEADLY.format(_crash_count(candidate), stays, rest)
            _end(candidate, TaskState.FAILED, error=error)
        elif _take(candidate, worker, lease):
            candidate.refresh_from_db()
            return candidate
    return None


def task_heartbeat(*, task: Task, done: int, lease: timedelta) -> bool:
    """Prolong the lease and store the progress; True if cancelling was requested."""
    held = _held(task).update(lease_until=Now() + lease, lease=lease, done=done)
    if not held:
        raise TaskLostError
    return Task.objects.filter(pk=task.pk, cancel_requested=True).exists()


def task_is_unwanted(*, task: Task) -> bool:
    """Return whether cancelling was requested; a transaction locks the answer until its end."""
    rows = Task.objects.filter(pk=task.pk, cancel_requested=True)
    if connection.in_atomic_block:
        # The row is locked in any case, so that the answer stays true.
        list(Task.objects.select_for_update().filter(pk=task.pk).values_list("pk"))
    return rows.exists()


def task_set_total(*, task: Task, total: int | None) -> None:
    """Store the total number of units of work."""
    _held(task).update(total=total)


def task_acts(*, task: Task) -> None:
    """Store that all checks have passed, so that the task may be done in part from now on."""
    _held(task).update(has_acted=True)


def task_finish(
    *, task: Task, state: str, done: int, result: Mapping[str, Any] | None = None, error: str = ""
) -> bool:
    """Store how the task ended; False if the claim was lost before."""
    ended = _held(task).update(
        state=state,
        done=done,
        result=dict(result or {}),
        error=error,
        **_FREE,
        finished_at=timezone.now(),
    )
    return bool(ended)


def task_postpone(*, task: Task, error: str) -> timedelta | None:
    """Postpone the task, each time longer, while something it needs is away; return the delay.

    None after `MAX_FAILURES` attempts, when a person has to look.
    """
    if task.failures >= MAX_FAILURES:
        return None
    delay: timedelta = min(_FIRST_DELAY * 2 ** (task.failures - 1), LONGEST_DELAY)
    _held(task).update(
        state=TaskState.QUEUED,
        error=error,
        **_FREE,
        run_after=Now() + delay,
    )
    return delay


def release_task(*, task: Task) -> None:
    """Release the task at once, because its worker has to stop. That is not a failed attempt."""
    _held(task).update(
        state=TaskState.QUEUED,
        **_FREE,
        run_after=Now(),
        attempts=F("attempts") - 1,
    )


def task_cancel(*, task_id: int) -> Task:
    """Request that a task is not done, or not completed. What it has done stays done."""
    now = timezone.now()
    waiting = Task.objects.filter(pk=task_id, state=TaskState.QUEUED).update(
        state=TaskState.CANCELLED, cancel_requested=True, finished_at=now
    )
    if not waiting:
        Task.objects.filter(pk=task_id, state=TaskState.RUNNING).update(cancel_requested=True)
    try:
        return Task.objects.get(pk=task_id)
    except Task.DoesNotExist:
        raise InputError(f"there is no task {task_id}.", remedy="`job list` lists them.") from None


def _held(task: Task) -> Any:
    return Task.objects.filter(pk=task.pk, claim=task.claim, state=TaskState.RUNNING)


def _unchanged(candidate: Task) -> Any:
    """Select the row if it is unchanged: nobody has claimed or prolonged it since."""
    return Task.objects.filter(due(), pk=candidate.pk, claim=candidate.claim)


def _take(candidate: Task, worker: str, lease: timedelta) -> bool:
    taken = _unchanged(candidate).update(
        state=TaskState.RUNNING,
        claim=uuid.uuid4(),
        worker=worker,
        lease_until=Now() + lease,
        lease=lease,
        attempts=F("attempts") + 1,
        crash_count=_crash_count(candidate),
        started_at=candidate.started_at or timezone.now(),
        done=0,
    )
    return bool(taken)


def _crash_count(candidate: Task) -> int:
    """Count the workers that died at a due task; if it says it is running, one more has died."""
    return candidate.crash_count + (candidate.state == TaskState.RUNNING)


def _end(candidate: Task, state: str, error: str = "") -> None:
    _unchanged(candidate).update(state=state, error=error, **_FREE, finished_at=timezone.now())


_DEADLY = (
    "Given up: {} workers died while doing it, or lost the database; the system's log may say "
    "why. {}; {}."
)
#: Hide a person from all pages as soon as erasure begins.
_REST: dict[str, str] = {
    TaskKind.ERASE: "the worker's row is kept until the rest is done, by `python manage.py worker "
    "erase` with the same id"
}
