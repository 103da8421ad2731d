"""Several acts at once, each with its own connection, that meet between check and write."""

import threading
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from typing import Any

from django.db import connection, connections

from metrics.errors import InputError

#: So long one waits for the others at the meeting; where a lock keeps them away it goes on alone.
_PATIENCE = 1.0


class Meeting:
    """Of `n` acts, each comes once; those that a lock keeps away are not waited for long."""

    def __init__(self, n: int) -> None:
        self._barrier = threading.Barrier(n)

    def come(self) -> None:
        with suppress(threading.BrokenBarrierError):
            self._barrier.wait(_PATIENCE)

    @contextmanager
    def before(self, begin: str) -> Iterator[None]:
        """Come to the meeting before the first statement of this thread that begins so."""
        is_due = True

        def wait(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            nonlocal is_due
            if is_due and sql.startswith(begin):
                is_due = False
                self.come()
            return execute(sql, params, many, context)

        with connection.execute_wrapper(wait):
            yield


def at_once(acts: Sequence[Callable[[], Any]]) -> list[Any]:
    """What each act returned, or the `InputError` that refused it; all start together."""
    start = threading.Barrier(len(acts))

    def run(act: Callable[[], Any]) -> Any:
        start.wait(60)
        try:
            return act()
        except InputError as error:
            return error
        finally:
            connections.close_all()

    with ThreadPoolExecutor(len(acts)) as pool:
        return list(pool.map(run, acts))
