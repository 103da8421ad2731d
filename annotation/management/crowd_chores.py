"""The chores of the crowd service, done beside the tasks of a worker."""

import io
import threading

import structlog
from django.core.management import call_command
from django.db import DatabaseError, close_old_connections, connections

log = structlog.get_logger(__name__)

_SECONDS_BETWEEN = 1.0


def sweep_crowd() -> None:
    """By its command: the platform knows nothing of the service's inside."""
    call_command("crowd_sweep", stdout=io.StringIO())


def sweep_until(stop: threading.Event) -> None:
    """Sweep every second, in a thread of its own: a task may take hours, a receiver seconds."""
    while not stop.is_set():
        try:
            close_old_connections()
            sweep_crowd()
        except DatabaseError as error:
            log.warning("the crowd's database is away", why=str(error))
            connections.close_all()
        stop.wait(_SECONDS_BETWEEN)
    connections.close_all()
