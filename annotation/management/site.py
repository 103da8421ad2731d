"""Runs the site as its users will: gunicorn, in a process of its own."""

import contextlib
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

from django.conf import settings

from annotation.management import orphans
from annotation.vocabulary import Lane
from metrics.errors import InputError

_SECONDS_TO_START = 120
_SECONDS_BETWEEN_LOOKS = 1.0


def gunicorn_arguments(host: str, port: int, *, threads: int) -> list[str]:
    """The command line that serves the site at `host:port` until the process that ran it ends.

    One process with threads: SQLite has one writer at a time anyway, and the answers are short.
    """
    return [
        *(sys.executable, "-m", "gunicorn", "config.wsgi", "--pythonpath", str(settings.BASE_DIR)),
        *("--bind", f"{host}:{port}", "--workers", "1", "--threads", str(threads)),
        # A connection that is closed while its browser sends the next click loses that click.
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
    """Whether something listens at `host:port`."""
    with socket.socket() as probe:
        probe.settimeout(1)
        return probe.connect_ex((host, port)) == 0


def free_port() -> int:
    """A port of this machine that nothing listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


def worker_arguments(lane: str) -> list[str]:
    """The command line of an embedded worker, which ends with its parent."""
    return [
        sys.executable,
        str(settings.BASE_DIR / "manage.py"),
        *("job", "work", "--lane", lane, "--with-parent", "--quiet"),
    ]


def serve_site(host: str, port: int, *, threads: int, with_worker: bool) -> int:
    """Serve until the web server ends or a signal comes; the exit status.

    There is a worker for short jobs and one for long ones; one that dies is started again, after a
    moment. The web server is not: whatever looks after this process (a person, systemd, a
    container) has to see that it is gone.
    """
    # Both stay in this folder: a data folder given as a relative path is the same for all.
    env = orphans.child_environment() | {"WEB_THREADS": str(threads)}
    web = subprocess.Popen(gunicorn_arguments(host, port, threads=threads), env=env)  # noqa: S603 - ours
    workers: dict[str, subprocess.Popen[bytes]] = {}
    stop = threading.Event()
    for number in (signal.SIGTERM, signal.SIGINT):
        signal.signal(number, lambda *_: stop.set())
    while web.poll() is None and not stop.is_set():
        for lane in Lane if with_worker else ():
            if lane not in workers or workers[lane].poll() is not None:
                workers[lane] = subprocess.Popen(worker_arguments(lane), env=env)  # noqa: S603
        stop.wait(_SECONDS_BETWEEN_LOOKS)
    for process in (web, *workers.values()):
        process.terminate()
    for process in (web, *workers.values()):
        process.wait()
    return 0 if stop.is_set() else 1


@contextlib.contextmanager
def running_site(host: str, port: int, *, log: Path) -> Iterator[str]:
    """The site at `http://host:port`, up for the length of the block; its log goes to `log`."""
    url = f"http://{host}:{port}"
    with log.open("ab") as output:
        process = subprocess.Popen(  # noqa: S603 - our own arguments
            gunicorn_arguments(host, port, threads=settings.WEB_THREADS),
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
