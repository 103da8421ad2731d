"""Runs the site as its users will: by gunicorn."""

import contextlib
import gc
import os
import socket
import subprocess
import sys
import time
import urllib.request
from collections.abc import Iterator
from pathlib import Path
from urllib.error import URLError
from urllib.parse import urlsplit

from django.conf import settings
from gunicorn.app.wsgiapp import WSGIApplication

from annotation.management import orphans
from annotation.management.heaps import share_heaps
from annotation.management.supervisor import Pages, Supervisor
from annotation.vocabulary import Lane
from metrics.errors import InputError

_SECONDS_TO_START = 120


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


def serve_site(host: str, port: int, *, threads: int, with_worker: bool) -> int:
    """Serve until the web server ends or a signal comes; return the exit status.

    One worker does short jobs and chores, and another one long jobs while there are any; a worker
    that dies is restarted after a moment. A site that cannot start is not: the supervisor of this
    process (a person, systemd, a container) has to notice its end.
    """
    share_heaps()
    os.environ |= orphans.child_environment()
    settings.WEB_THREADS = threads
    sys.argv = ["gunicorn", *gunicorn_arguments(host, port, threads=threads)]
    application = WSGIApplication()
    # This process is the first one: what started it may end.
    application.cfg.set("when_ready", lambda _server: None)
    application.cfg.set("worker_class", Pages)
    # Freeze objects, so that the processes continue to share their memory.
    gc.collect()
    gc.freeze()
    try:
        Supervisor(application, Lane if with_worker else ()).run()
    except SystemExit as end:
        return 1 if end.code else 0
    return 0


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
