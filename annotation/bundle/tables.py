"""The tables of a bundle as typed rows, and their CSV."""

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass, fields
from typing import Any, TypeVar

from annotation.export.csv_rows import csv_text
from metrics.errors import InputError


@dataclass(frozen=True, slots=True)
class QueryRow:
    """A query in the batch's order; `gold` is the known category of a check query, else ""."""

    qid: str
    query: str
    gold: str


@dataclass(frozen=True, slots=True)
class VoteRow:
    """A vote under a pseudonym. It counts unless it is repeated or its worker is set aside."""

    qid: str
    worker: str
    kind: str
    category: str
    repeated: int
    set_aside: int


@dataclass(frozen=True, slots=True)
class LabelRow:
    """The label that stands for a query; see `ExportedLabel`. `decided_by` is a pseudonym."""

    qid: str
    label: str
    method: str
    source: str
    n_votes: int
    n_for: int
    confidence: float | None
    decided_by: str
    reason: str


@dataclass(frozen=True, slots=True)
class PoolRow:
    """A place of a pooled query in one run's list, and the bias that put it there."""

    qid: str
    run: str
    direction: str
    place: int
    bias: float


Row = TypeVar("Row", QueryRow, VoteRow, LabelRow, PoolRow)
_READ: dict[Any, Any] = {
    str: str,
    int: int,
    float: float,
    float | None: lambda text: float(text) if text else None,
}


def to_csv(kind: type[Row], rows: Sequence[Row]) -> bytes:
    """CSV with a header, numbers in full precision, texts as they are."""
    names = [field.name for field in fields(kind)]
    return csv_bytes(names, ([getattr(row, name) for name in names] for row in rows))


def csv_bytes(header: Sequence[str], rows: Any) -> bytes:
    cells = (
        ["" if cell is None else repr(cell) if isinstance(cell, float) else cell for cell in row]
        for row in rows
    )
    return csv_text([header, *cells]).encode()


def csv_rows(content: bytes, name: str) -> list[dict[str, str]]:
    """The records of a CSV of a bundle by column."""
    try:
        text = content.decode()
    except UnicodeDecodeError:
        raise InputError("is not UTF-8.", path=name) from None
    csv.field_size_limit(10_000_000)
    try:
        return list(csv.DictReader(io.StringIO(text, newline=""), strict=True))
    except csv.Error as error:
        raise InputError(f"is no CSV ({error}).", path=name) from None


def from_csv(kind: type[Row], content: bytes, name: str) -> list[Row]:
    """The rows of `to_csv`. Raises `InputError` for anything else."""
    rows = []
    for line, cells in enumerate(csv_rows(content, name), start=2):
        try:
            values = {field.name: _READ[field.type](cells[field.name]) for field in fields(kind)}
        except (KeyError, ValueError, TypeError) as error:
            raise InputError(f"record {line - 1} is wrong ({error}).", path=name) from None
        rows.append(kind(**values))
    return rows
