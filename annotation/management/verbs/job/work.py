"""Do the long work of this machine in the background."""

import io
import signal
import threading
from argparse import ArgumentParser
from collections.abc import Callable
from typing import Any

import structlog
from django.core.management import call_command
from django.db import DatabaseError, close_old_connections, connections

from annotation.batches.operations.news import news_collect
from annotation.core.base_command import FairpoolCommand
from annotation.jobs.worker import work_until
from annotation.management.orphans import when_orphaned
from annotation.vocabulary import Lane

log = structlog.get_logger(__name__)

_SECONDS_BETWEEN_CHORES = 1.0


class Command(FairpoolCommand):
    help = (
        "Do background tasks until Ctrl-C, without a broker. `serve` starts one beside the web "
        "server. A task that is cut short is given back, or taken up again when its lease ends."
    )
    example = "job work --once"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--once", action="store_true", help="Do what is due now, then end (default: go on)."
        )
        parser.add_argument(
            "--lane",
            choices=Lane.values,
            default="",
            help="Do only short jobs, or only those that read whole files for minutes; `serve` "
            "starts a worker for each (default: all jobs).",
        )
        parser.add_argument(
            "--with-parent",
            action="store_true",
            help="End as soon as the process that started this one has ended.",
        )

    def handle(self, *, once: bool, lane: str, with_parent: bool, as_json: bool, **_: Any) -> None:
        stop = threading.Event()
        for number in (signal.SIGTERM, signal.SIGINT):
            signal.signal(number, lambda *_: stop.set())
        if with_parent:
            when_orphaned(stop.set)
        if once and lane != Lane.LONG:
            _sweep_crowd()
        elif lane != Lane.LONG:
            # Threads of their own: a task may take minutes, a receiver of notifications seconds.
            for chore in (_sweep_crowd, news_collect):
                threading.Thread(target=_every_second, args=[stop, chore], daemon=True).start()
        taken = work_until(stop, only_what_is_due=once, lane=lane)
        if as_json:
            self.print_json({"tasks": taken})
        elif once:
            self.stdout.write(f"{taken:,} tasks.")


def _sweep_crowd() -> None:
    """The chores of the crowd service, by its command: the site knows nothing of its inside."""
    call_command("crowd", "sweep", stdout=io.StringIO())


def _every_second(stop: threading.Event, chore: Callable[[], None]) -> None:
    """Do it every second; a database that is away is waited for."""
    while not stop.is_set():
        try:
            close_old_connections()
            chore()
        except DatabaseError as error:
            log.warning("the database is away", chore=chore.__name__, why=str(error))
            connections.close_all()
        stop.wait(_SECONDS_BETWEEN_CHORES)
    connections.close_all()
