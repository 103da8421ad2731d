"""Long work in the background, in rows of the database: see docs/operations.md.

A worker of our own (`worker`, which `serve` starts) or Celery's workers do it. A row has the work,
its worker, progress and outcome.
"""

from annotation.jobs.broker import app
from annotation.jobs.messages import chore_do, task_run

__all__ = ["app", "chore_do", "task_run"]
