"""Carrying out one claimed task: with a heartbeat beside it, and an end that is always stored.

Nothing here needs Celery: the embedded worker and Celery's workers both come through here.
"""

import contextlib
import os
import socket
import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Self

import structlog
from celery.exceptions import SoftTimeLimitExceeded
from django.conf import settings
from django.db import DatabaseError, InterfaceError, OperationalError, connection

from annotation.batches.operations.notices import notice_update
from annotation.core.audit import log_failure
from annotation.core.database_faults import fault_of
from annotation.core.operations import Actor
from annotation.core.perform import perform_job
from annotation.core.task_queue import (
    TaskLostError,
    release_task,
    task_claim,
    task_finish,
    task_heartbeat,
    task_is_unwanted,
    task_postpone,
)
from annotation.crowd.connection import TRY_LATER
from annotation.jobs.memory import memory_limit
from annotation.jobs.registry import JOBS
from annotation.language_models.client import ModelBusyError
from annotation.models import Batch, Task
from annotation.prolific.task_builder import NotReadyError
from annotation.vocabulary import TaskState, what_stays
from metrics.errors import InputError
from metrics.io.redaction import redact

log = structlog.get_logger(__name__)

#: Temporary errors, by name: no reply from the crowd, a market or a model, a database that is down
#: or whose disk is full.
WORTH_ANOTHER_TRY = (
    *TRY_LATER,
    ModelBusyError,
    NotReadyError,
    OperationalError,
    InterfaceError,
)


class CancelledError(Exception):
    """A person cancelled the task."""


class StoppedError(Exception):
    """The worker has to stop; another one continues the task."""


class OvertimeError(Exception):
    """The task has taken longer than any task should."""


def lease() -> timedelta:
    """Return the time of silence after which a worker is taken for dead."""
    return timedelta(seconds=settings.TASK_LEASE_SECONDS)


def worker_name() -> str:
    """Return the name of this process for people, unlike any other."""
    return f"{socket.gethostname()}:{os.getpid()}"


def run_job(
    *,
    task_id: int | None = None,
    stopping: Callable[[], bool] = lambda: False,
    lane: str = "",
) -> Task | None:
    """Claim a due task (that one, if named), do it, and store the end; None if none is due.

    With a `lane`, see `annotation.vocabulary.Lane`, one of those jobs.
    `stopping` is asked at each step; once it is true, the task is given back.
    """
    task = task_claim(worker=worker_name(), lease=lease(), task_id=task_id, lane=lane)
    if task is not None:
        with structlog.contextvars.bound_contextvars(
            task=task.pk, kind=task.kind, batch=task.batch_id, study=task.study_id
        ):
            _carry_out(task, stopping)
            if batch := Batch.objects.filter(tasks=task).first():
                notice_update(batch=batch)
        with contextlib.suppress(Task.DoesNotExist):  # deleted with its subject
            task.refresh_from_db()
    return task


def _carry_out(task: Task, stopping: Callable[[], bool]) -> None:
    log.info("task begun", attempt=task.attempts)
    watch = Watch(task, stopping)
    try:
        with watch, memory_limit(settings.JOB_MEMORY_MB):
            result = perform_job(JOBS[task.kind], task, watch.advance)
    except (StoppedError, CancelledError, TaskLostError) as end:
        _interrupted(task, watch.done, end)
    except WORTH_ANOTHER_TRY as error:
        _wait(task, watch.done, error)
    except (InputError, OvertimeError) as error:
        _failed(task, watch.done, str(error))
    except SoftTimeLimitExceeded:
        _failed(task, watch.done, str(OvertimeError("The task was stopped at its time limit.")))
    except Exception as error:
        # The outermost edge: nobody sees this process, so the row has to tell the error.
        if fault_of(error):  # a person may repair it meanwhile
            _wait(task, watch.done, error)
            return
        log.exception("task failed unexpectedly")
        message = redact(f"Unexpected {type(error).__name__}: {error}.")
        _failed(task, watch.done, f"{message} The log says more.")
    else:
        state = TaskState.FAILED if result.problem else TaskState.DONE
        task_finish(
            task=task, state=state, done=watch.done, result=result.values, error=result.problem
        )
        log.info("task ended", state=str(state), done=watch.done)


def _interrupted(task: Task, done: int, end: Exception) -> None:
    if isinstance(end, CancelledError):
        why = f"Cancelled; {what_stays(task.kind)}."
        task_finish(task=task, state=TaskState.CANCELLED, done=done, error=why)
    elif isinstance(end, StoppedError):
        release_task(task=task)
    log.info("task interrupted", why=type(end).__name__, done=done)


def _wait(task: Task, done: int, error: Exception) -> None:
    why = str(fault_of(error) or error)
    delay = task_postpone(task=task, error=why)
    if delay is None:
        _failed(task, done, f"Given up after {task.failures} attempts. {why}")
        return
    log.warning("task waits", seconds=delay.total_seconds(), why=why)


def _failed(task: Task, done: int, error: str) -> None:
    task_finish(task=task, state=TaskState.FAILED, done=done, error=error)
    if operation := JOBS.get(task.kind):
        log_failure(operation, task.about, Actor(task.actor), error)
    log.warning("task failed", why=error)


class Watch:
    """Counts the work, and keeps the lease alive from a thread of its own.

    So one long call does not lose the lease, and `advance` needs no statement.
    """

    def __init__(self, task: Task, stopping: Callable[[], bool]) -> None:
        self.done = 0
        self._task = task
        self._stopping = stopping
        self._reason: Exception | None = None
        self._ended = threading.Event()
        self._thread = threading.Thread(target=self._keep, name="heartbeat", daemon=True)
        self._deadline = time.monotonic() + settings.TASK_TIME_LIMIT_SECONDS

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._ended.set()
        self._thread.join()

    def advance(self, units: int = 1) -> None:
        """Count `units`; raise an error if the work has to end.

        With 0 units it reads the row itself, as before work that cannot be undone: in a
        transaction, cancelling then waits for its end.
        """
        self.done += units
        if not units and self._reason is None and task_is_unwanted(task=self._task):
            self._reason = CancelledError()
        if self._reason is not None:
            raise self._reason
        if self._stopping():
            raise StoppedError
        if time.monotonic() > self._deadline:
            raise OvertimeError(
                f"The task took more than {settings.TASK_TIME_LIMIT_SECONDS:,} s and was stopped; "
                f"{what_stays(self._task.kind)}."
            )

    def _keep(self) -> None:
        try:
            beat_at = time.monotonic() + settings.TASK_LEASE_SECONDS / 4
            pause = min(settings.TASK_LEASE_SECONDS / 4, settings.TASK_LOOK_SECONDS)
            while not self._ended.wait(pause):
                if time.monotonic() >= beat_at:
                    self._beat()
                    beat_at = time.monotonic() + settings.TASK_LEASE_SECONDS / 4
                else:
                    self._look()
        finally:
            connection.close()

    def _look(self) -> None:
        try:
            if task_is_unwanted(task=self._task):
                self._reason = CancelledError()
        except DatabaseError:
            connection.close()  # the next beat says so, if it lasts

    def _beat(self) -> None:
        try:
            if task_heartbeat(task=self._task, done=self.done, lease=lease()):
                self._reason = CancelledError()
        except TaskLostError as lost:
            self._reason = lost
        except DatabaseError as error:
            # The next beat may get through; if none does, the lease runs out as it should.
            log.warning("heartbeat failed", why=str(error))
            connection.close()
