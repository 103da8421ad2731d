"""The processes of a served site: one that starts the others, those of pages, those of jobs."""

import contextlib
import math
import os
import signal
import sys
import time
import traceback
from collections.abc import Collection
from typing import NoReturn

from django.core.management import call_command
from django.db import DatabaseError, close_old_connections, connections
from gunicorn.app.wsgiapp import WSGIApplication
from gunicorn.arbiter import Arbiter
from gunicorn.workers.gthread import ThreadWorker

from annotation.core.process_memory import Held, bytes_held
from annotation.core.task_progress import has_due
from annotation.vocabulary import Lane

_MOST_BYTES_GAINED = 64_000_000
#: A process of pages stays for as long, whatever it gains; a new one answers within the other.
_LEAST_SECONDS, _SECONDS_TO_START = 60.0, 10.0


class Pages(ThreadWorker):  # type: ignore[misc] # it has no types
    """Answers pages, until it has gained much memory: then it asks for a new process to do so.

    What pages have loaded, chiefly those of reports, goes back with the old one.
    """

    def __init__(self, *arguments: object) -> None:
        super().__init__(*arguments)
        self._first, self._next = 0, time.monotonic() + _LEAST_SECONDS

    def notify(self) -> None:
        """Called once a second."""
        super().notify()
        self._first = self._first or bytes_held(Held.RESIDENT)
        is_old = time.monotonic() > self._next
        if is_old and bytes_held(Held.RESIDENT) > self._first + _MOST_BYTES_GAINED:
            os.kill(self.ppid, signal.SIGTTIN)
            self._next = math.inf


class Supervisor(Arbiter):  # type: ignore[misc] # it has no types
    """gunicorn's first process, which starts the workers of jobs beside those of pages.

    All are its forks, which share the modules that it has imported; it opens no page and does no
    job itself, as what it changes in memory is copied.
    """

    def __init__(self, application: WSGIApplication, lanes: Collection[Lane]) -> None:
        self._lanes = lanes
        self._workers: dict[Lane, int] = {}
        self._until = math.inf
        super().__init__(application)

    def init_signals(self) -> None:
        """Leave the end of a terminal as it was: gunicorn would start its workers anew."""
        hang_up = signal.getsignal(signal.SIGHUP)
        super().init_signals()
        signal.signal(signal.SIGHUP, hang_up)

    def handle_ttin(self) -> None:
        """Start a process of pages; once it answers, the oldest ends as soon as all is answered."""
        self.num_workers, self._until = 2, time.monotonic() + _SECONDS_TO_START

    def manage_workers(self) -> None:
        """Called once a second."""
        if time.monotonic() > self._until:
            self.num_workers, self._until = 1, math.inf
        super().manage_workers()
        for lane in self._lanes:
            if not self._has_worker(lane) and (lane == Lane.SHORT or _has_long_job()):
                self._workers[lane] = self._forked(lane)

    def stop(self, graceful: bool = True) -> None:
        there = [pid for lane, pid in self._workers.items() if self._has_worker(lane)]
        for pid in there:
            os.kill(pid, signal.SIGTERM)
        super().stop(graceful)
        for pid in there:
            with contextlib.suppress(ChildProcessError):
                os.waitpid(pid, 0)

    def spawn_worker(self) -> int:
        """Start a process of pages. What a fork raises at its end is not this process's end."""
        connections.close_all()
        first = os.getpid()
        try:
            return int(super().spawn_worker())
        except SystemExit as end:
            if os.getpid() == first:
                raise
            _end(end.code)

    def _has_worker(self, lane: Lane) -> bool:
        """Return whether the worker lives. gunicorn may have heard of its end first."""
        try:
            return lane in self._workers and not os.waitpid(self._workers[lane], os.WNOHANG)[0]
        except ChildProcessError:
            return False

    def _forked(self, lane: Lane) -> int:
        """Start a worker of the lane, which shares the modules that this process has imported."""
        connections.close_all()
        if pid := os.fork():
            return pid
        code: object = 1
        try:
            for number in (*self.SIGNALS, signal.SIGCHLD):
                signal.signal(number, signal.SIG_DFL)
            for listener in self.LISTENERS:
                listener.close()  # or the address would be taken until the job is done
            _do_jobs(lane)
            code = 0
        except SystemExit as end:
            code = end.code
        except Exception:  # noqa: BLE001 - the outermost edge of a process
            traceback.print_exc()
        finally:
            _end(code)


def _end(code: object) -> NoReturn:
    """End a fork, and leave what is to happen at the end of its first process to that."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    os._exit(code if isinstance(code, int) else int(code is not None))


def _do_jobs(lane: Lane) -> None:
    """Do the jobs of a lane until the parent ends.

    A worker of long jobs ends once none is due, too: their memory goes with it.
    """
    once = ["--once"] if lane == Lane.LONG else []
    call_command("job", "work", "--lane", lane, "--with-parent", "--quiet", *once)


def _has_long_job() -> bool:
    """Return False while the database is down: its tasks wait."""
    try:
        close_old_connections()
        return has_due(Lane.LONG)
    except DatabaseError:
        connections.close_all()
        return False
