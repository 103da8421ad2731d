"""The one rule by which values are compared: order, sign, ties and ranks."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

#: Values that are not exact are rounded to so many decimals, once, and then compared exactly.
DECIMALS = 12


def comparable(values: ArrayLike, *, exact: bool = False) -> NDArray[np.float64]:
    """The values to sort, to rank and to ask for their sign, of the shape of `values`.

    RaB and ARaB of `bool` and `tc` are `exact`: each is the double nearest to a fraction of whole
    numbers, so that equal fractions are equal doubles, and they are compared as they are. All
    others are sums of rounded terms: they are rounded to `DECIMALS` decimals, after which equal
    is transitive, which a tolerance would not be. A zero has no sign.

    >>> comparable([0.1 + 0.2, 0.3, -1e-17]).tolist()
    [0.3, 0.3, 0.0]
    """
    array = np.asarray(values, dtype=np.float64)
    return (array if exact else np.round(array, DECIMALS)) + 0.0


def varies(values: NDArray[np.float64]) -> bool:
    """Return whether two of the values differ, by the rule."""
    return len(values) > 1 and bool(np.ptp(comparable(values)) > 0)
