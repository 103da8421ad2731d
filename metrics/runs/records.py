"""Rows of named columns in Parquet and in JSON lines, as runs and judgments are published."""

import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..io import headers
from ..io.lines import text_lines
from ..io.parquet_tables import parquet_table
from .values import id_text

#: The number of a line or row, and its cells.
Rows = Iterator[tuple[int, list[str]]]


def is_record(line: str) -> bool:
    """Return whether a line is an object of its own, with names of a query and of a document."""
    try:
        record = json.loads(line)
    except ValueError:
        return False
    return isinstance(record, dict) and bool(
        headers.places_of(list(record), headers.QIDS, headers.DOCNOS)
    )


def parquet_rows(path: str | Path, kinds: Iterable[Iterable[str]], what: str) -> Rows:
    """The cells of each row in the columns of these kinds, each known by one of its names.

    A kind without a column has empty cells where it allows "". Raises `InputError` for a file that
    is damaged, lacks a column, or grows out of proportion when it is read.
    """
    names: list[str | None] = []

    def choose(columns: Sequence[str]) -> list[str]:
        places = [_place(columns, kind, path, what) for kind in kinds]
        names.extend(None if place is None else columns[place] for place in places)
        return [*dict.fromkeys(name for name in names if name is not None)]

    chosen, rows = parquet_table(path, None, choose=choose, text=_cell_text)
    at = [None if name is None else chosen.index(name) for name in names]
    for number, cells in enumerate(rows, start=1):
        yield number, ["" if place is None else cells[place] for place in at]


def json_rows(path: str | Path, kinds: Iterable[Iterable[str]], what: str) -> Rows:
    """The rows that `parquet_rows` gives, of lines that are an object each."""
    known = list(kinds)
    for number, line in text_lines(path):
        if not line.strip():
            continue
        try:
            record = json.loads(line)
        except ValueError as error:
            raise InputError(f"is not JSON ({error}).", path=path, line=number) from None
        if not isinstance(record, dict):
            raise InputError("is not an object.", path=path, line=number)
        names, values = list(record), list(record.values())
        places = [_place(names, kind, path, what, number) for kind in known]
        yield (
            number,
            ["" if place is None else _cell(values[place], path, number) for place in places],
        )


def _place(
    names: Sequence[str], kind: Iterable[str], path: str | Path, what: str, line: int | None = None
) -> int | None:
    known = list(kind)
    place = headers.place_of(names, known)
    if place is None and "" not in known:
        raise InputError(
            f"is not a table of {what}: it has {', '.join(names)}.",
            path=path,
            line=line,
            remedy=f"Name a column {' or '.join(known[:3])}.",
        )
    return place


def _cell(value: Any, path: str | Path, number: int) -> str:
    try:
        return _cell_text(value)
    except InputError as error:
        raise InputError(error.message, path=path, line=number) from None


def _cell_text(value: Any) -> str:
    text = id_text(value)
    if isinstance(text, str):
        return text
    if isinstance(text, float):
        return repr(text)
    raise InputError(f"{value!r} is neither an id nor a number.")
