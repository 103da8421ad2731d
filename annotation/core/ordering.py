"""Rows in the order of one of their values."""

from collections.abc import Callable, Iterable
from typing import Any, TypeVar

Row = TypeVar("Row")


def ordered(rows: Iterable[Row], key: Callable[[Row], Any], *, is_descending: bool) -> list[Row]:
    """Sort the rows by value, stably; rows without a value are last."""
    rows = list(rows)
    known = [row for row in rows if key(row) is not None]
    unknown = [row for row in rows if key(row) is None]
    return sorted(known, key=key, reverse=is_descending) + unknown
