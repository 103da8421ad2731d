"""Asking for work: a row first, then a message, where there is a broker to carry it."""

from collections.abc import Iterable
from typing import Any

import structlog
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from annotation.models import Task
from annotation.services.task_queue import task_enqueue
from annotation.tasks.messages import task_run
from metrics.errors import InputError

log = structlog.get_logger(__name__)


def task_send(
    *,
    kind: str,
    actor: str,
    batch_id: int | None = None,
    study_id: int | None = None,
    **arguments: Any,
) -> Task:
    """Ask for work on a batch or on a study, and wake a worker once the row is committed.

    Without a broker the embedded worker finds the row by itself; so does the next wake-up of beat
    when the broker is away at this moment.
    """
    task = task_enqueue(
        kind=kind, batch_id=batch_id, study_id=study_id, actor=actor, arguments=arguments
    )
    if settings.CELERY_BROKER_URL:
        transaction.on_commit(lambda: _wake(task.pk))
    return task


def task_ask(*, kind: str, actor: str, batch_id: int, **arguments: Any) -> Task:
    """The same for work whose terms matter: what is being done with others is not taken for it."""
    task = task_send(kind=kind, actor=actor, batch_id=batch_id, **arguments)
    if task.arguments != arguments:
        raise InputError(
            f"the same is being done with other terms, as task {task.pk}: "
            f"{task.get_kind_display().lower()}.",
            remedy="Wait until it is done, or cancel it.",
        )
    return task


def tasks_wake_for(task_ids: Iterable[int]) -> None:
    """Wake a worker for each of these tasks, whose rows are committed."""
    if settings.CELERY_BROKER_URL:
        for task_id in task_ids:
            if not _wake(task_id):
                return


def _wake(task_id: int) -> bool:
    try:
        task_run.apply_async((task_id,), retry=False)
    except OperationalError as error:
        log.warning("the broker is away; the task waits", task=task_id, why=str(error))
        return False
    return True
