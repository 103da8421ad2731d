"""The Celery application that carries messages to workers, and beat's schedule."""

from typing import Any

from celery import Celery
from celery.signals import setup_logging

from annotation.jobs.chores import CHORES, Chore

#: A message about a chore that no worker takes within this time, or its interval, is dropped.
_LEAST_SECONDS_TO_WAIT = 5

app = Celery("fairpool")
app.config_from_object("django.conf:settings", namespace="CELERY")
app.autodiscover_tasks(["annotation"], related_name="jobs")


@setup_logging.connect
def _leave_logging_alone(**_: Any) -> None:
    """Keep the project's logging: Celery's level would hide which task did what."""


@app.on_after_configure.connect
def _schedule(sender: Celery, **_: Any) -> None:
    sender.conf.beat_schedule = {chore.name: _entry(chore) for chore in CHORES}


def _entry(chore: Chore) -> dict[str, Any]:
    return {
        "task": "annotation.jobs.messages.chore_do",
        "args": [chore.name],
        "schedule": chore.seconds,
        "options": {
            # Where no worker is free in time, the next message does the same.
            "expires": max(chore.seconds, _LEAST_SECONDS_TO_WAIT),
            "soft_time_limit": chore.most_seconds,
            "time_limit": chore.most_seconds + 60,
        },
    }
