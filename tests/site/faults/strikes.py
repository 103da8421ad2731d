"""What can happen to an installation, as blocks: from the begin of the block to its end."""

import contextlib
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from datetime import timedelta

from tests.site.faults.disks import Disk
from tests.site.faults.installation import Installation

Strike = Callable[[Installation], AbstractContextManager[None]]
#: A link that is so slow makes a page that asks the database twenty times take a second.
_SLOW_SECONDS = 0.02
_FAR = timedelta(days=1)


@contextlib.contextmanager
def killed(installation: Installation, name: str) -> Iterator[None]:
    """kill -9 of one part, which is started again."""
    part = installation.parts[name]
    part.kill()
    yield
    part.start()


@contextlib.contextmanager
def restarted(installation: Installation) -> Iterator[None]:
    """A broker that is told to end, as by an update of the system."""
    installation.broker.stop()
    yield
    installation.broker.start()


@contextlib.contextmanager
def slow(installation: Installation) -> Iterator[None]:
    for link in installation.links:
        link.delay = _SLOW_SECONDS
    yield
    for link in installation.links:
        link.delay = 0


@contextlib.contextmanager
def cut(installation: Installation) -> Iterator[None]:
    """Every connection between two parts breaks, and for a while there are no new ones."""
    for link in installation.links:
        link.refusing = True
        link.cut()
    yield
    for link in installation.links:
        link.refusing = False


@contextlib.contextmanager
def silent(installation: Installation) -> Iterator[None]:
    """Connections stay, but nothing comes through."""
    for link in installation.links:
        link.silence()
    yield
    for link in installation.links:
        link.speak()


@contextlib.contextmanager
def full(installation: Installation, disk: Disk) -> Iterator[None]:
    disk.fill()
    yield
    disk.free()
    installation.revive()


@contextlib.contextmanager
def clock_set(installation: Installation, ahead: timedelta) -> Iterator[None]:
    """The worker dies, and meanwhile the clock of the database is set.

    That clock is the system's, so what was stored before is moved instead, the other way.
    """
    with killed(installation, "worker"), installation.database.connect("fairpool") as database:
        database.execute(
            "UPDATE annotation_task SET lease_until = lease_until - %(ahead)s, "
            "run_after = run_after - %(ahead)s WHERE state IN ('queued', 'running')",
            {"ahead": ahead},
        )
        yield


KILLS: dict[str, Strike] = {
    "kill of web": lambda installation: killed(installation, "web"),
    "kill of worker": lambda installation: killed(installation, "worker"),
    "kill of broker": lambda installation: killed(installation, "broker"),
    "kill of database": lambda installation: killed(installation, "database"),
    "restart of broker": restarted,
}
HARDSHIPS: dict[str, Strike] = {
    "slow networks": slow,
    "cut networks": cut,
    "silent networks": silent,
    "full disk of the database": lambda installation: full(installation, installation.rows),
    "full disk of the files": lambda installation: full(installation, installation.files),
    "clock set back": lambda installation: clock_set(installation, -_FAR),
    "clock set forward": lambda installation: clock_set(installation, _FAR),
}
