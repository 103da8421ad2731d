"""Periodic work, each item with its interval: the only list.

The embedded worker does it, or Celery's workers when beat asks for it, at the same intervals.
"""

import io
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from django.conf import settings
from django.core.management import call_command

from annotation.batches.operations.news import collect_news
from annotation.batches.operations.refresh import snapshots_take_due
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.core.task_progress import tasks_due
from annotation.core.wake import tasks_wake_for
from annotation.overview.operations.delete_removed import delete_removed
from annotation.overview.operations.retention import ACTOR, APPLY_RETENTION
from annotation.overview.operations.schedule import (
    collecting_schedule,
    recruiting_schedule,
    reservations_schedule,
)
from annotation.studies.file_store import uploads_clear
from annotation.workers.operations.own_wish import erase_withdrawn_workers
from metrics.io.parts import remove_dead_parts_below

_DAY = 86_400


@dataclass(frozen=True)
class Chore:
    """Work that is due at an interval in seconds; doing it too early does no harm.

    Celery ends it after `most_seconds`. If it `is_apart`, the embedded worker does it while a job
    runs, which may take minutes.
    """

    name: str
    seconds: float
    work: Callable[[], object]
    most_seconds: float = 60
    is_apart: bool = False


def crowd_sweep() -> None:
    """Run the crowd service's chores by its command, as the site knows nothing of its inside."""
    call_command("crowd", "sweep", stdout=io.StringIO())


def _unfinished_wake() -> None:
    """Wake workers for every due task: postponed, left by a dead worker, or with a lost message."""
    tasks_wake_for(tasks_due())


def _retention_apply() -> None:
    perform_here(APPLY_RETENTION, None, {}, Actor(ACTOR))


def _leftovers_remove() -> None:
    """Remove what killed processes left in the data folder: they may be parts of backups."""
    uploads_clear()
    remove_dead_parts_below(Path(settings.DATA_DIR))


CHORES = (
    Chore("let time pass at the crowd service", 1, crowd_sweep, is_apart=True),
    Chore("hear of answers", 1, collect_news, is_apart=True),
    Chore("take up unfinished tasks", 30, _unfinished_wake),
    Chore("collect answers", 30, collecting_schedule),
    Chore("read studies on Prolific", 30, recruiting_schedule),
    Chore("give back what a dead publisher holds", 30, reservations_schedule),
    Chore("read messages and invitations", 30, snapshots_take_due),
    Chore("take over what annotators wish", 30, erase_withdrawn_workers),
    Chore("delete what was removed", 30, delete_removed),
    Chore("remove what killed processes left", _DAY, _leftovers_remove, 3_600),
    Chore("delete what is old", _DAY, _retention_apply, settings.TASK_TIME_LIMIT_SECONDS),
)
