"""Asking for work in the background: a row first, then a message, where there is a broker."""

from collections.abc import Iterable, Mapping
from functools import cache
from typing import Any

import structlog
from celery import Celery
from django.conf import settings
from django.db import transaction
from kombu.exceptions import OperationalError

from annotation.core.task_queue import task_enqueue
from annotation.models import Assignment, Batch, Study, Task
from annotation.models.tasks import LIVE_STATES
from annotation.vocabulary import TaskKind
from metrics.errors import InputError

log = structlog.get_logger(__name__)

#: The message that the workers of Celery know.
_MESSAGE = "annotation.jobs.messages.task_run"


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
    return _woken(task)


def queue_job(
    *,
    kind: str,
    subject: Study | Batch | Assignment,
    arguments: Mapping[str, Any],
    consent: Mapping[str, Any],
    actor: str,
    user_id: int | None,
    version: str = "",
) -> tuple[Task, bool]:
    """The job that does an operation, and whether it is new.

    The same that is still to be done is not queued twice; what differs in its terms, or in what
    was agreed to, has to wait.
    """
    task, is_new = Task.objects.get_or_create(
        kind=TaskKind(kind),
        **_about(subject),
        state__in=LIVE_STATES,
        defaults={
            "arguments": dict(arguments),
            "consent": dict(consent),
            "actor": actor,
            "requested_by_id": user_id,
            "version": version,
        },
    )
    if (task.arguments, task.consent) != (arguments, consent):
        raise InputError(
            f"the same is being done with other terms, as task {task.pk}: "
            f"{task.get_kind_display().lower()}.",
            remedy="Wait until it is done, or cancel it.",
        )
    return _woken(task), is_new


def tasks_wake_for(task_ids: Iterable[int]) -> None:
    """Wake a worker for each of these tasks, whose rows are committed."""
    if settings.CELERY_BROKER_URL:
        for task_id in task_ids:
            if not _wake(task_id):
                return


def _about(subject: Study | Batch | Assignment) -> dict[str, Any]:
    match subject:
        case Study():
            return {"study": subject}
        case Batch():
            return {"batch": subject, "assignment": None}
        case Assignment():
            return {"batch": subject.hit.batch, "assignment": subject}


def _woken(task: Task) -> Task:
    if settings.CELERY_BROKER_URL:
        transaction.on_commit(lambda: _wake(task.pk))
    return task


def _wake(task_id: int) -> bool:
    try:
        _sender().send_task(_MESSAGE, (task_id,), retry=False)
    except OperationalError as error:
        log.warning("the broker is away; the task waits", task=task_id, why=str(error))
        return False
    return True


@cache
def _sender() -> Celery:
    """Sends messages by name: whoever asks for work knows nothing of how it is done."""
    sender = Celery("fairpool-sender", set_as_current=False)
    sender.config_from_object("django.conf:settings", namespace="CELERY")
    return sender
