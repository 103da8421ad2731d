"""Long work in the background, in rows of the database: see docs/operations.md.

`task_send` asks for work. A worker of our own (`worker`, which `serve` starts) or Celery's workers
do it; either way a row says what is to be done, by whom, how far it is and how it ended.
"""

from annotation.tasks.messages import collecting_ask, retention_ask, task_run, tasks_wake
from annotation.tasks.sending import task_ask, task_send, tasks_wake_for

__all__ = [
    "collecting_ask",
    "retention_ask",
    "task_ask",
    "task_run",
    "task_send",
    "tasks_wake",
    "tasks_wake_for",
]
