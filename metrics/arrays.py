"""Arrays of the numbers that callers pass."""

import reprlib
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputTypeError


def floats(values: ArrayLike) -> NDArray[np.float64]:
    """Return the values as float64; `InputTypeError` for values that are not numbers."""
    try:
        array = np.asarray(values)
        # NumPy would read text as numbers, and None as nan.
        if array.dtype.kind not in "USO" or (
            array.dtype.kind == "O" and not any(v is None or isinstance(v, str) for v in array.flat)
        ):
            return array.astype(np.float64, copy=False)
    except (TypeError, ValueError):
        pass
    remedy = "Give a list or an array of them."
    untyped: Any = values
    if isinstance(untyped, Mapping):
        remedy = "Give list(values.values()), of both sides in the same order."
    elif hasattr(values, "columns"):
        remedy = 'Give one column of the frame, such as frame["value"].'
    raise InputTypeError(f"{reprlib.repr(values)} holds no numbers.", remedy=remedy)


def numbers(values: ArrayLike) -> NDArray[Any]:
    """Whole numbers as int64, others as float64."""
    try:
        kind = np.asarray(values).dtype.kind if not isinstance(values, str) else "U"
    except ValueError:
        raise InputTypeError(
            "the rows are of different lengths.",
            remedy="Pad them to one length, and give present, which is False where you padded.",
        ) from None
    return np.asarray(values, dtype=np.int64) if kind in "biu" else floats(values)
