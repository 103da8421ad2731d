"""Long work in the background, in rows of the database: see docs/operations.md.

A worker of our own (`worker`, which `serve` starts) or Celery's workers do it; either way a row
says what is to be done, by whom, how far it is and how it ended.
"""

from annotation.jobs.broker import app
from annotation.jobs.messages import (
    collecting_ask,
    news_ask,
    retention_ask,
    snapshots_ask,
    task_run,
    tasks_wake,
)

__all__ = [
    "app",
    "collecting_ask",
    "news_ask",
    "retention_ask",
    "snapshots_ask",
    "task_run",
    "tasks_wake",
]
