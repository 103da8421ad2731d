"""Do the long work of this machine in the background."""

import signal
import threading
from argparse import ArgumentParser
from typing import Any

from annotation.core.base_command import FairpoolCommand
from annotation.jobs.chores import crowd_sweep
from annotation.jobs.worker import work_until
from annotation.management.orphans import when_orphaned
from annotation.vocabulary import Lane


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
            crowd_sweep()
        taken = work_until(stop, only_what_is_due=once, lane=lane)
        if as_json:
            self.print_json({"tasks": taken})
        elif once:
            self.stdout.write(f"{taken:,} tasks.")
