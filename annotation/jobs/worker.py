"""The embedded worker: does the tasks of one machine, one after another, without a broker."""

import math
import threading
import time

import structlog
from django.db import DatabaseError, close_old_connections, connections

from annotation.batches.operations.refresh import snapshots_take_due
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.jobs.execution import run_job
from annotation.overview.operations.delete_removed import removed_delete
from annotation.overview.operations.retention import ACTOR, APPLY_RETENTION
from annotation.overview.operations.schedule import collecting_schedule, recruiting_schedule
from annotation.vocabulary import Lane
from annotation.workers.operations.own_wish import wishes_take_over

log = structlog.get_logger(__name__)

_SECONDS_BETWEEN_LOOKS = 1.0
_SECONDS_BETWEEN_SCHEDULES = 30.0
_SECONDS_BETWEEN_RETENTIONS = 86_400.0


def work_until(stop: threading.Event, *, only_what_is_due: bool = False, lane: str = "") -> int:
    """Do task after task until `stop` is set; the number of tasks that were taken up.

    With a `lane`, do its jobs only; the long one plans no work by the clock. With
    `only_what_is_due`, plan no new work and return as soon as none is due, so that the same is done
    however long it takes. A database that is away is waited for.
    """
    taken = 0
    plans = not only_what_is_due and lane != Lane.LONG
    first_look = time.monotonic() + _SECONDS_BETWEEN_SCHEDULES if plans else math.inf
    next_schedule = next_retention = first_look
    while not stop.is_set():
        try:
            close_old_connections()
            if time.monotonic() >= next_schedule:
                next_schedule = time.monotonic() + _SECONDS_BETWEEN_SCHEDULES
                collecting_schedule()
                recruiting_schedule()
                snapshots_take_due()
                wishes_take_over()
                removed_delete()
            if time.monotonic() >= next_retention:
                next_retention = time.monotonic() + _SECONDS_BETWEEN_RETENTIONS
                perform_here(APPLY_RETENTION, None, {}, Actor(ACTOR))
            found = run_job(stopping=stop.is_set, lane=lane) is not None
        except DatabaseError as error:
            log.warning("the database is away; the worker waits", why=str(error))
            connections.close_all()
            found = False
        taken += found
        if not found:
            if only_what_is_due:
                break
            stop.wait(_SECONDS_BETWEEN_LOOKS)
    return taken
