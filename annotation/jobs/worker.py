"""The embedded worker: does the tasks of one machine, one after another, without a broker."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence

import structlog
from django.db import DatabaseError, close_old_connections, connections

from annotation.jobs.chores import CHORES, Chore
from annotation.jobs.execution import run_job
from annotation.vocabulary import Lane

log = structlog.get_logger(__name__)

_SECONDS_BETWEEN_LOOKS = 1.0
#: Daily chores are done soon after the start: a worker may never be up for a day.
_MOST_SECONDS_TO_THE_FIRST = 30.0


class Clock:
    """Does each of these chores whenever its interval has passed."""

    def __init__(self, chores: Iterable[Chore]) -> None:
        now = time.monotonic()
        self._next = {
            chore: now + min(chore.seconds, _MOST_SECONDS_TO_THE_FIRST) for chore in chores
        }

    def do_what_is_due(self) -> None:
        for chore, due in self._next.items():
            if time.monotonic() >= due:
                self._next[chore] = time.monotonic() + chore.seconds
                chore.work()


def work_until(
    stop: threading.Event,
    *,
    only_what_is_due: bool = False,
    lane: str = "",
    chores: Sequence[Chore] = CHORES,
) -> int:
    """Do task after task until `stop` is set; return the number of tasks.

    With a `lane`, do its jobs only; the long lane does no chores. With `only_what_is_due`, plan no
    new work and return as soon as none is due. A database that is away is waited for.
    """
    taken = 0
    planned = () if only_what_is_due or lane == Lane.LONG else chores
    for chore in planned:
        if chore.is_apart:
            threading.Thread(target=repeat, args=[stop, chore], daemon=True).start()
    clock = Clock(chore for chore in planned if not chore.is_apart)
    while not stop.is_set():
        has_done = _unless_away(lambda: _step(clock, stop, lane))
        taken += bool(has_done)
        if not has_done:
            if only_what_is_due:
                break
            stop.wait(_SECONDS_BETWEEN_LOOKS)
    return taken


def _step(clock: Clock, stop: threading.Event, lane: str) -> bool:
    """Do one task, if there is one; return whether there was."""
    clock.do_what_is_due()
    return run_job(stopping=stop.is_set, lane=lane) is not None


def repeat(stop: threading.Event, chore: Chore) -> None:
    """Do the chore at its interval until `stop` is set."""
    while not stop.is_set():
        _unless_away(chore.work)
        stop.wait(chore.seconds)
    connections.close_all()


def _unless_away(work: Callable[[], object]) -> object:
    """Return the result of the work; None, and a line in the log, while a database is down."""
    try:
        close_old_connections()
        return work()
    except DatabaseError as error:
        log.warning("the database is away; the worker waits", why=str(error))
        connections.close_all()
        return None
