"""Arrays of the numbers that callers pass."""

import reprlib
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputTypeError


def floats(values: ArrayLike) -> NDArray[np.float64]:
    """Return the values as float64; `InputTypeError` for values that are not numbers."""
    try:
        return np.asarray(values, dtype=np.float64)
    except (TypeError, ValueError):
        raise InputTypeError(
            f"{reprlib.repr(values)} holds no numbers.", remedy="Give a list or an array of them."
        ) from None


def numbers(values: ArrayLike) -> NDArray[Any]:
    """Whole numbers as int64, others as float64."""
    try:
        kind = np.asarray(values).dtype.kind if not isinstance(values, str) else "U"
    except ValueError:
        raise InputTypeError(
            "the rows are of different lengths.",
            remedy="Pad them to one length, and give present, False where they were padded.",
        ) from None
    return np.asarray(values, dtype=np.int64) if kind in "biu" else floats(values)
