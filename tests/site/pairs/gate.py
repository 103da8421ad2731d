"""Where two threads are held: one between two of its statements, until the other has gone on.

A point is where what was read before may have become wrong: the first statement of a transaction,
and each that locks or writes. On SQLite, where a transaction that writes holds the whole database,
nobody is held within one.
"""

import re
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from django.db import connection

#: What holds or spends money, in the words of a statement.
_MONEY = re.compile(
    r'UPDATE "annotation_batch" .*"(?:committed|budget)" ='
    r'|(?:UPDATE|INSERT INTO|DELETE FROM) "annotation_(?:bonus|prolificbonusset|prolificbonus)"'
    r'|UPDATE "annotation_prolificstudy" .*"fees_committed" ='
    r'|UPDATE "annotation_hit" .*"max_assignments" ='
)
_HITS = re.compile(r'(?:UPDATE|INSERT INTO|DELETE FROM) "annotation_hit"')
_WRITES = ("INSERT", "UPDATE", "DELETE")
_LOOKS_EVERY_SECONDS = 0.003
#: Longer than any operation takes; whoever is held then goes on, and the trial says so.
_GIVES_UP_AFTER_SECONDS = 20


@dataclass(frozen=True)
class Plan:
    """The thread `held` stops before its point `at` until the other reaches `until`, or ends.

    There the other one stops in turn until the first has ended, unless both go on together.
    """

    held: int
    at: int
    until: int | None = None
    together: bool = False


class Gate:
    """Holds one of two threads as a plan says, and counts the points of both."""

    def __init__(self, plan: Plan, is_blocked: Callable[[int], bool]) -> None:
        self.points = [0, 0]
        self.writes_money, self.writes_hits = [False, False], [False, False]
        self.was_held = self.gave_up = False
        self._plan, self._is_blocked = plan, is_blocked
        self._arrived, self._passed, self._ended = (threading.Event() for _ in range(3))
        self._transactions: list[object] = [None, None]

    @contextmanager
    def watching(self, who: int) -> Iterator[None]:
        """Thread `who` does its work within; the other one begins once the first is held."""
        if who != self._plan.held:
            self._arrived.wait()
        try:
            with connection.execute_wrapper(self._wrapper(who)):
                yield
        finally:
            if who == self._plan.held:
                self._arrived.set()
                self._ended.set()
            else:
                self._passed.set()

    def _wrapper(self, who: int) -> Callable[..., Any]:
        def wrapped(execute: Any, sql: str, params: Any, many: bool, context: Any) -> Any:
            if self._is_point(who, sql):
                self.points[who] += 1
                self._at_point(who)
            self.writes_money[who] |= bool(_MONEY.match(sql))
            self.writes_hits[who] |= bool(_HITS.match(sql))
            return execute(sql, params, many, context)

        return wrapped

    def _is_point(self, who: int, sql: str) -> bool:
        if connection.vendor == "sqlite":
            return not connection.in_atomic_block and sql.startswith((*_WRITES, "BEGIN"))
        transaction = connection.atomic_blocks[0] if connection.atomic_blocks else None
        begins = transaction is not None and transaction is not self._transactions[who]
        self._transactions[who] = transaction
        return begins or sql.startswith(_WRITES) or "FOR UPDATE" in sql

    def _at_point(self, who: int) -> None:
        if who != self._plan.held:
            if self.points[who] == self._plan.until and not self._passed.is_set():
                self._passed.set()
                if not self._plan.together:
                    self._wait(self._ended, 1 - who)
        elif self.points[who] == self._plan.at:
            self.was_held = True
            self._arrived.set()
            self._wait(self._passed, 1 - who)

    def _wait(self, gone_on: threading.Event, other: int) -> None:
        end = time.monotonic() + _GIVES_UP_AFTER_SECONDS
        while not gone_on.wait(_LOOKS_EVERY_SECONDS):
            if self._is_blocked(other):
                return
            if time.monotonic() > end:
                self.gave_up = True
                return
