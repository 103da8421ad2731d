"""Anomalies of a run, each with its rule: collected while reading, then reported in notices."""

import heapq
from dataclasses import dataclass, field

from ..vocabulary import Order
from .run import Notice, NoticeKind

_NAMED_AT_MOST = 5


@dataclass
class RunAnomalies:
    """Line numbers, in any order.

    `conflicts` and `gaps` have one line for each query concerned, `duplicates` every line that
    repeats a document of its query.
    """

    conflicts: list[int] = field(default_factory=list)
    duplicates: list[int] = field(default_factory=list)
    gaps: list[int] = field(default_factory=list)

    def notices(self, path: str, order: Order) -> tuple[Notice, ...]:
        """One notice for each kind that occurred."""
        followed, other = ("ranks", "default") if order == "rank" else ("scores", "rank")
        conflict = (
            f"ranks and scores contradict each other in {_queries(len(self.conflicts))}; the "
            f"{followed} are used."
        )
        option = f" --order {other} uses the other column."
        repeated = (
            f"{_count(len(self.duplicates), 'line')} that repeat a document of the same query: "
        )
        gap = f"the ranks have gaps in {_queries(len(self.gaps))}."
        kinds: tuple[tuple[NoticeKind, str, list[int], str], ...] = (
            ("conflict", conflict, self.conflicts, option),
            ("repeated", repeated + "it counts once, at its best place.", self.duplicates, ""),
            ("gap", gap, self.gaps, ""),
        )
        return tuple(
            Notice(
                kind,
                message,
                len(lines),
                path,
                tuple(heapq.nsmallest(_NAMED_AT_MOST, lines)),
                option,
            )
            for kind, message, lines, option in kinds
            if lines
        )


def _queries(count: int) -> str:
    return f"{count:,} {'query' if count == 1 else 'queries'}"


def _count(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
