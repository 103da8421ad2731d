"""Long work in the background, in rows of the database: see docs/operations.md.

`task_send` asks for work. A worker of our own (`worker`, which `serve` starts) or Celery's workers
do it; either way a row says what is to be done, by whom, how far it is and how it ended.
"""

from importlib import import_module

from django.conf import settings

# Messages go the way of this application. Only who asks for work waits for Celery to load.
import_module(settings.CELERY_APP)

from annotation.tasks.messages import (  # noqa: E402 - they are messages of that application
    collecting_ask,
    retention_ask,
    task_run,
    tasks_wake,
)
from annotation.tasks.sending import task_ask, task_send, tasks_wake_for  # noqa: E402

__all__ = [
    "collecting_ask",
    "retention_ask",
    "task_ask",
    "task_run",
    "task_send",
    "tasks_wake",
    "tasks_wake_for",
]
