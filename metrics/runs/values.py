"""Ids, scores and ranks that are in memory, checked as whole columns.

A call for each of millions of documents would take ten times as long; only a column in which
something is odd is gone through one by one, for the error that names it.
"""

import contextlib
from array import array
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..errors import InputError, InputTypeError

_Floats = NDArray[np.float64]
#: The places of values in what the caller gave, from 0.
Rows = Sequence[int] | NDArray[np.int64]


def id_text(value: object) -> object:
    """An id as text; Pandas makes 261 a 261.0 where others of the column are missing.

    Other values stay as they are, for the error that names them.
    """
    if isinstance(value, float | np.floating) and float(value).is_integer():
        value = int(value)
    is_number = isinstance(value, int | np.integer) and not isinstance(value, bool)
    return str(value) if is_number else value


def id_texts(values: list[Any], what: str, rows: Rows | None = None) -> list[str]:
    """Ids as text: whole numbers are written in decimal, anything else must be text already.

    `rows` are the places of the values, for errors, from 0 (default: their places here).
    """
    if _are_ids(values):
        return values
    if set(map(type, values)) == {int}:
        return list(map(str, values))
    texts = []
    for row, value in zip(range(len(values)) if rows is None else rows, values, strict=True):
        text = id_text(value)
        if not isinstance(text, str) or "\0" in text or text.split() != [text]:
            raise InputError(
                f"row {row + 1}: {value!r} is not an id of a {what}.",
                remedy="Use text without blanks, or whole numbers.",
            )
        texts.append(text)
    return texts


def _are_ids(values: list[Any]) -> bool:
    """Return whether all of them are text without blanks; False also for what is seldom seen."""
    try:
        joined_texts = "\n".join(values)
    except TypeError:
        return False
    if not joined_texts.isascii():
        return joined_texts.split() == values and "\0" not in joined_texts
    characters = np.frombuffer(joined_texts.encode("ascii"), dtype=np.uint8)
    is_blank = characters <= ord(" ")
    n_blanks = int(np.count_nonzero(is_blank))
    has_empty = len(characters) == n_blanks or is_blank[0] or is_blank[-1]
    return n_blanks == len(values) - 1 and not has_empty and "\n\n" not in joined_texts


def score_numbers(values: Iterable[Any], rows: Rows | None = None) -> _Floats:
    """Scores as numbers, all of them finite; `rows` as in `id_texts`."""
    scores = _numbers(values, "score", rows)
    if not np.isfinite(scores).all():
        at = int(np.flatnonzero(~np.isfinite(scores))[0])
        row = at if rows is None else rows[at]
        raise InputError(
            f"row {row + 1}: the score {list(values)[at]} cannot be ranked.",
            remedy="Give a number, or leave the document out.",
        )
    return scores


def _numbers(values: Iterable[Any], what: str, rows: Rows | None = None) -> _Floats:
    """Values as numbers: also Decimals, and tensors and arrays of one element; None is NaN."""
    if isinstance(values, np.ndarray) and values.dtype.kind in "fiu":
        return values.astype(np.float64)
    values = values if isinstance(values, list) else list(values)
    with contextlib.suppress(TypeError, ValueError, OverflowError):  # text is not a number for it
        return np.frombuffer(array("d", values), dtype=np.float64)
    numbers = np.empty(len(values))
    for place, value in enumerate(values):
        if isinstance(value, str | bytes):
            problem = "is text"
        else:
            try:
                numbers[place] = np.nan if value is None else value
                continue
            except (TypeError, ValueError, OverflowError):
                problem = "is not a number"
        row = place if rows is None else rows[place]
        raise InputTypeError(
            f"row {row + 1}: the {what} {value!r} {problem}.", remedy="Give numbers."
        )
    return numbers


def rank_numbers(values: Sequence[Any]) -> NDArray[np.int64]:
    """Ranks, which are whole numbers from 0."""
    ranks = _numbers(values, "rank")
    bad = ~np.isfinite(ranks) | (ranks < 0) | (ranks != np.floor(ranks))
    if bad.any():
        row = int(np.flatnonzero(bad)[0])
        raise InputError(f"row {row + 1}: the rank {values[row]} is not a whole number from 0.")
    return ranks.astype(np.int64)
