"""Runs the site as its users will: gunicorn, in a process of its own."""

import contextlib
import gc
import multiprocessing
import os
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Callable, Iterator
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Any
from urllib.error import URLError
from urllib.parse import urlsplit

from django.conf import settings
from django.core.management import call_command
from django.db import DatabaseError, close_old_connections, connections
from gunicorn.app.wsgiapp import run as run_gunicorn

from annotation.core.task_progress import has_due
from annotation.management import orphans
from annotation.management.heaps import share_heaps
from annotation.vocabulary import Lane
from metrics.errors import InputError

_SECONDS_TO_START = 120
_SECONDS_BETWEEN_LOOKS = 1.0


def gunicorn_arguments(host: str, port: int, *, threads: int) -> list[str]:
    """The options that serve the site at `host:port` until the process that ran it ends.

    One process with threads: SQLite has one writer at a time anyway, and the answers are short.
    """
    return [
        *("config.wsgi", "--pythonpath", str(settings.BASE_DIR)),
        *("--bind", f"{host}:{port}", "--workers", "1", "--threads", str(threads)),
        # Closing a connection while the browser sends the next click loses that click.
        *("--keep-alive", "75"),
        *("--log-level", "warning", "--no-control-socket"),
        # As a file: gunicorn reads it before it knows where our modules are.
        *("--config", orphans.__file__),
    ]


def address_of(endpoint: str) -> tuple[str, int]:
    """Host and port of the crowd service's URL."""
    parts = urlsplit(endpoint)
    return parts.hostname or "127.0.0.1", parts.port or (443 if parts.scheme == "https" else 80)


def is_taken(host: str, port: int) -> bool:
    """Return whether something listens at `host:port`."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def _serve_pages(arguments: list[str]) -> None:
    sys.argv = ["gunicorn", *arguments]
    run_gunicorn()


def _do_jobs(lane: str) -> None:
    """Do the jobs of a lane until the parent ends.

    A worker of long jobs ends once none is due, too: their memory goes with it.
    """
    once = ["--once"] if lane == Lane.LONG else []
    call_command("job", "work", "--lane", lane, "--with-parent", "--quiet", *once)


def _forked(act: Callable[[Any], None], argument: Any) -> BaseProcess:
    """Fork a process, which shares the modules that this one has imported."""
    connections.close_all()
    process = multiprocessing.get_context("fork").Process(
        target=_with_signals_of_its_own, args=(act, argument)
    )
    process.start()
    return process


def _with_signals_of_its_own(act: Callable[[Any], None], argument: Any) -> None:
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, signal.SIG_DFL)
    act(argument)


def serve_site(host: str, port: int, *, threads: int, with_worker: bool) -> int:
    """Serve until the web server ends or a signal comes; return the exit status.

    One worker does short jobs and chores, and another one long jobs while there are any; a worker
    that dies is restarted after a moment. The web server is not: the supervisor of this process (a
    person, systemd, a container) has to notice its end.
    """
    share_heaps()
    os.environ |= orphans.child_environment()
    settings.WEB_THREADS = threads
    # Freeze objects, so that the processes continue to share their memory.
    gc.collect()
    gc.freeze()
    web = _forked(_serve_pages, gunicorn_arguments(host, port, threads=threads))
    workers: dict[str, BaseProcess] = {}
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    while web.is_alive() and not stop.is_set():
        for lane in Lane if with_worker else ():
            is_there = lane in workers and workers[lane].is_alive()
            if not is_there and (lane == Lane.SHORT or _has_long_job()):
                workers[lane] = _forked(_do_jobs, lane)
        stop.wait(_SECONDS_BETWEEN_LOOKS)
    for process in (web, *workers.values()):
        process.terminate()
    for process in (web, *workers.values()):
        process.join()
    return 0 if stop.is_set() else 1


def _has_long_job() -> bool:
    """Return False while the database is down: its tasks wait."""
    try:
        close_old_connections()
        return has_due(Lane.LONG)
    except DatabaseError:
        connections.close_all()
        return False


@contextlib.contextmanager
def running_site(host: str, port: int, *, log: Path) -> Iterator[str]:
    """The site at `http://host:port`, up for the length of the block; its log goes to `log`."""
    url = f"http://{host}:{port}"
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            [
                *(sys.executable, "-m", "gunicorn"),
                *gunicorn_arguments(host, port, threads=settings.WEB_THREADS),
            ],
            env=orphans.child_environment(),
            stdout=output,
            stderr=output,
        )
    try:
        _wait_for(f"{url}/annotate/", process, log)
        yield url
    finally:
        process.terminate()
        process.wait()


def _wait_for(url: str, process: subprocess.Popen[bytes], log: Path) -> None:
    deadline = time.monotonic() + _SECONDS_TO_START
    while time.monotonic() < deadline:
        if process.poll() is not None:
            break
        with contextlib.suppress(URLError, ConnectionError, TimeoutError):
            urllib.request.urlopen(url, timeout=5).close()  # noqa: S310 - our own site
            return
        time.sleep(0.1)
    raise InputError("the site did not start.", path=log, remedy="Its log says why.")
