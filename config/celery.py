"""The Celery application: `celery -A config worker`."""

import os
from typing import Any

from celery import Celery
from celery.signals import setup_logging
from django.conf import settings

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")

app = Celery("fairpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks()


@setup_logging.connect
def _leave_logging_alone(**_: Any) -> None:
    """Keep `config.logging`: Celery would set a level that hides which task did what."""


@app.on_after_configure.connect
def _schedule(sender: Celery, **_: Any) -> None:
    """What beat asks for: unfinished work, new answers, and deleting what is old."""
    lease = settings.TASK_LEASE_SECONDS
    sender.conf.beat_schedule = {
        "take up unfinished tasks": {
            "task": "annotation.tasks.messages.tasks_wake",
            "schedule": lease,
        },
        "collect answers": {
            "task": "annotation.tasks.messages.collecting_ask",
            "schedule": max(settings.COLLECT_EVERY_SECONDS, lease),
        },
        "delete what is old": {
            "task": "annotation.tasks.messages.retention_ask",
            "schedule": 86_400,
        },
    }
