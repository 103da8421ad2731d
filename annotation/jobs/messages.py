"""Messages of the broker: ids of tasks, never their contents. A lost message loses nothing."""

from celery import shared_task
from django.conf import settings

from annotation.batches.operations.news import news_collect
from annotation.batches.operations.refresh import snapshots_take_due
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.core.task_progress import tasks_due
from annotation.core.wake import tasks_wake_for
from annotation.jobs.execution import run_job
from annotation.overview.operations.retention import ACTOR, APPLY_RETENTION
from annotation.overview.operations.schedule import collecting_schedule, recruiting_schedule
from annotation.workers.operations.own_wish import wishes_take_over

# Beyond the limit that the task itself watches, Celery ends it; a minute later its process.
_SOFT = settings.TASK_TIME_LIMIT_SECONDS + 60
_HARD = settings.TASK_TIME_LIMIT_SECONDS + 120


@shared_task(acks_late=True, soft_time_limit=_SOFT, time_limit=_HARD)
def task_run(task_id: int) -> None:
    """Do the task, unless it is done or somebody is at it."""
    run_job(task_id=task_id)


@shared_task(soft_time_limit=30, time_limit=60)
def tasks_wake() -> None:
    """Send for every task that is due: postponed, left by a dead worker, or its message lost."""
    tasks_wake_for(tasks_due())


@shared_task(soft_time_limit=30, time_limit=60)
def collecting_ask() -> None:
    """Ask for the answers of every batch that may have new ones, and who took part on Prolific."""
    collecting_schedule()
    recruiting_schedule()


@shared_task(soft_time_limit=30, time_limit=60)
def snapshots_ask() -> None:
    """Read invitations, messages and withdrawals of batches that people work on."""
    snapshots_take_due()
    wishes_take_over()


@shared_task(soft_time_limit=30, time_limit=60)
def news_ask() -> None:
    """Store what our own crowd service tells of HITs."""
    news_collect()


@shared_task(soft_time_limit=_SOFT, time_limit=_HARD)
def retention_ask() -> None:
    """Delete what has been kept for long enough."""
    perform_here(APPLY_RETENTION, None, {}, Actor(ACTOR))
