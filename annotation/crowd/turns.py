"""Turns of this process's requests at calling the crowd.

The crowd service may be this very site. A request that waits for it keeps a thread; when all
threads wait, none is left to reply, and everybody waits until the calls time out. So one request at
a time calls, others wait briefly for their turn, and one thread never waits: `WEB_THREADS` bounds
how many can wait. Jobs and commands keep no thread of the site: they are not bounded.
"""

from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from threading import Event, Lock

from django.conf import settings

from annotation.crowd.errors import CrowdBusyError

#: Seconds that a request waits for its turn.
PATIENCE = 2.0
_IS_REQUEST: ContextVar[bool] = ContextVar("whether a request is answered", default=False)
_HAS_TURN: ContextVar[bool] = ContextVar("whether it may call", default=False)


class _Turns:
    """One turn at a time, handed from each caller to the one who has waited longest."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._is_taken = False
        self._waiting: deque[Event] = deque()

    def take(self) -> bool:
        """Wait for a turn; False where too many wait already, or for too long."""
        with self._lock:
            if not self._is_taken:
                self._is_taken = True
                return True
            # Beside the calling and the waiting threads, one thread answers.
            if len(self._waiting) >= settings.WEB_THREADS - 2:
                return False
            mine = Event()
            self._waiting.append(mine)
        mine.wait(PATIENCE)
        with self._lock:
            has_turn = mine.is_set()
            if not has_turn:
                self._waiting.remove(mine)
            return has_turn

    def give_back(self) -> None:
        with self._lock:
            if self._waiting:
                self._waiting.popleft().set()
            else:
                self._is_taken = False


_TURNS = _Turns()


@contextmanager
def inside_request() -> Iterator[None]:
    """While a request of the site is answered, its calls wait for their turn."""
    token = _IS_REQUEST.set(True)
    try:
        yield
    finally:
        _IS_REQUEST.reset(token)


@contextmanager
def turn() -> Iterator[None]:
    """One call with its repetitions; raises `CrowdBusyError` where it does not get its turn."""
    if not _IS_REQUEST.get() or _HAS_TURN.get():
        yield
        return
    if not _TURNS.take():
        raise CrowdBusyError(
            "others are waiting for the crowd service at the moment; nothing was sent.",
            remedy="Try again in a moment.",
        )
    token = _HAS_TURN.set(True)
    try:
        yield
    finally:
        _HAS_TURN.reset(token)
        _TURNS.give_back()
