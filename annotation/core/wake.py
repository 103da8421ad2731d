"""Waking workers through a broker, where there is one. The rows of the tasks are the truth.

Without a broker the embedded worker finds a row by itself; if the broker is down, the next wake-up
of beat does.
"""

from collections.abc import Iterable
from functools import cache

import structlog
from celery import Celery
from django.conf import settings
from kombu.exceptions import OperationalError

from annotation.models import Task
from annotation.vocabulary import LONG_KINDS

log = structlog.get_logger(__name__)

#: The message that the workers of Celery know.
_MESSAGE = "annotation.jobs.messages.task_run"


def tasks_wake_for(task_ids: Iterable[int]) -> None:
    """Wake a worker for each of these tasks, whose rows are committed."""
    if settings.CELERY_BROKER_URL:
        kinds = Task.objects.filter(pk__in=task_ids).order_by("run_after", "pk")
        for task_id, kind in kinds.values_list("pk", "kind"):
            if not _wake(task_id, kind):
                return


def _wake(task_id: int, kind: str) -> bool:
    queue = settings.CELERY_LONG_QUEUE if kind in LONG_KINDS else settings.CELERY_TASK_DEFAULT_QUEUE
    try:
        _sender().send_task(_MESSAGE, (task_id,), queue=queue, retry=False)
    except OperationalError as error:
        log.warning("the broker is away; the task waits", task=task_id, why=str(error))
        return False
    return True


@cache
def _sender() -> Celery:
    """Send messages by name, so that callers need not import the work."""
    sender = Celery("fairpool-sender", set_as_current=False)
    sender.config_from_object("django.conf:settings", namespace="CELERY")
    return sender
