"""A table of a release, and what several of them share."""

from collections.abc import Iterable
from dataclasses import dataclass
from math import log2

from annotation.reports.bundle.tables import csv_bytes

TEXT, WHOLE, REAL, DATE, URL = "text", "whole", "real", "date", "url"


@dataclass(frozen=True)
class Column:
    """A column: its name, its type (one of those above), and what its cells mean."""

    name: str
    kind: str
    meaning: str


@dataclass(frozen=True)
class Table:
    """A table of a release: the name of its file without `.csv`, and its rows, cell by cell."""

    name: str
    meaning: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[object, ...], ...]

    @property
    def file(self) -> str:
        return f"{self.name}.csv"

    def content(self) -> bytes:
        return csv_bytes([column.name for column in self.columns], self.rows)


#: Which query a row is about.
WHICH = (
    Column("batch", TEXT, "Batch in which the query was asked."),
    Column("qid", TEXT, "Id of the query, unique within its batch."),
    Column("query", TEXT, "Text of the query."),
)


#: The same of pairs; `qid` is that of the query alone.
WHICH_PAIR = (
    *WHICH[:2],
    Column("docno", TEXT, "Id of the passage that was judged with the query; empty without one."),
    *WHICH[2:],
)


def entropy(shares: Iterable[float]) -> float:
    # Without the sum's start, one option alone would give -0.0.
    return sum((-share * log2(share) for share in shares), 0.0) + 0.0
