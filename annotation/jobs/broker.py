"""The Celery application that carries messages to workers, and what beat asks for by the clock."""

from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

_SECONDS_BETWEEN_SWEEPS = 5
_SECONDS_BETWEEN_NEWS = 1

app = Celery("fairpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation"], related_name="jobs")
# By name: the crowd service is an app of its own, which the platform does not import.
app.autodiscover_tasks(["mturk_local"])


@setup_logging.connect
def _leave_logging_alone(**_: Any) -> None:
    """Keep the project's logging: Celery would set a level that hides which task did what."""


@app.on_after_configure.connect
def _schedule(sender: Celery, **_: Any) -> None:
    """Periodic work: unfinished tasks, new answers, and deletion of old data."""
    lease = settings.TASK_LEASE_SECONDS
    sender.conf.beat_schedule = {
        "take up unfinished tasks": {
            "task": "annotation.jobs.messages.tasks_wake",
            "schedule": lease,
        },
        "collect answers": {
            "task": "annotation.jobs.messages.collecting_ask",
            "schedule": max(settings.COLLECT_EVERY_SECONDS, lease),
        },
        "read messages and invitations": {
            "task": "annotation.jobs.messages.snapshots_ask",
            "schedule": lease,
        },
        "hear of answers": {
            "task": "annotation.jobs.messages.news_ask",
            "schedule": _SECONDS_BETWEEN_NEWS,
            # Where no worker is free in time, the next message does the same.
            "options": {"expires": 5 * _SECONDS_BETWEEN_NEWS},
        },
        "delete what is old": {
            "task": "annotation.jobs.messages.retention_ask",
            "schedule": 86_400,
        },
        "the crowd's chores": {
            "task": "mturk_local.tasks.crowd_sweep",
            "schedule": _SECONDS_BETWEEN_SWEEPS,
        },
    }
