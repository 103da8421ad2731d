"""No process outlives the one that started it, not even one that was killed without a word.

Also a configuration of gunicorn: `--config annotation/management/orphans.py`.
"""

import os
import signal
import threading
import time
from collections.abc import Callable

_PARENT = "FAIRPOOL_PARENT_PROCESS"

# Settings of gunicorn: Django alone decides by TRUST_PROXY whether to believe in X-Forwarded-Proto.
# By itself gunicorn believes whatever comes from this machine or by a socket.
secure_scheme_headers: dict[str, str] = {}
forwarder_headers = ""


def child_environment() -> dict[str, str]:
    """The environment for a process that is to end with this one."""
    return os.environ | {_PARENT: str(os.getpid())}


def when_orphaned(act: Callable[[], object]) -> None:
    """Call `act`, in a thread, once the process that started this one has ended."""
    # Told by the parent itself: it may have ended before a child can ask who it was.
    parent = int(os.environ.get(_PARENT) or os.getppid())

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(1)
        act()

    threading.Thread(target=watch, name="parent", daemon=True).start()


def when_ready(_server: object) -> None:
    """Called by gunicorn's first process, which would otherwise go on and hold the port."""
    when_orphaned(lambda: os.kill(os.getpid(), signal.SIGTERM))
