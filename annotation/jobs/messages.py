"""Messages of the broker: ids of tasks, never their contents. A lost message loses nothing."""

from celery import shared_task
from django.conf import settings

from annotation.jobs.chores import CHORES
from annotation.jobs.execution import run_job

# Beyond the limit that the task itself watches, Celery ends it; a minute later its process.
_SOFT = settings.TASK_TIME_LIMIT_SECONDS + 60
_HARD = settings.TASK_TIME_LIMIT_SECONDS + 120


@shared_task(acks_late=True, soft_time_limit=_SOFT, time_limit=_HARD)
def task_run(task_id: int) -> None:
    """Do the task, unless it is done or somebody is at it."""
    run_job(task_id=task_id)


@shared_task
def chore_do(name: str) -> None:
    """Do the chore of that name now."""
    for chore in CHORES:
        if chore.name == name:
            chore.work()
