"""From document ids to row positions, without a Python loop over the ids."""

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from numpy.typing import NDArray

from ..io.columns import string_column
from ..io.strings import Strings

# 18 digits always fit in int64.
_MOST_DIGITS = 18


class DocnoIndex:
    """Finds the row of each docno of a collection, whose docnos are all different.

    Where all docnos are written as whole numbers (as in MS MARCO), the rows are found by
    indexing with the number; otherwise by a hash table of the strings.
    """

    def __init__(self, docnos: pa.ChunkedArray) -> None:
        self._docnos = docnos
        numbers, is_number = _as_numbers(docnos)
        self._numeric = bool(is_number.all())
        self._row_of: NDArray[np.int32] | None = None
        if not self._numeric:
            return
        largest = int(numbers.max(initial=0))
        if largest < 4 * len(numbers) + 1_000_000:
            self._row_of = np.full(largest + 1, -1, dtype=np.int32)
            self._row_of[numbers] = np.arange(len(numbers), dtype=np.int32)
        else:
            self._order = np.argsort(numbers)
            self._sorted = numbers[self._order]

    def find(self, docnos: Strings | Sequence[str] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each docno, -1 where the collection does not have it.

        Docnos are strings (a column or a sequence), or int64 standing for their decimal
        digits without leading zeros: "007" and 7 are different docnos.
        """
        if isinstance(docnos, np.ndarray) and docnos.dtype.kind == "i":
            if self._numeric:
                return self._find_numbers(docnos)
            docnos = pc.cast(pa.array(docnos), pa.string())
        if not isinstance(docnos, pa.Array | pa.ChunkedArray):
            docnos = string_column(docnos)
        if self._numeric:
            numbers, is_number = _as_numbers(docnos)
            rows = self._find_numbers(numbers)
            rows[~is_number] = -1
            return rows
        rows = pc.index_in(pc.cast(docnos, self._docnos.type), value_set=self._docnos)
        return _to_numpy(pc.fill_null(rows, -1)).astype(np.int64)

    def _find_numbers(self, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        if self._row_of is not None:
            rows = self._row_of.take(numbers, mode="clip").astype(np.int64)
            rows[(numbers < 0) | (numbers >= len(self._row_of))] = -1
            return rows
        place = np.minimum(np.searchsorted(self._sorted, numbers), len(self._sorted) - 1)
        return np.where(self._sorted[place] == numbers, self._order[place], -1)


def _as_numbers(
    docnos: pa.Array | pa.ChunkedArray,
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The value of each docno, and whether the docno is exactly that value's decimal digits."""
    length = pc.binary_length(docnos)
    leading_zero = pc.and_(pc.starts_with(docnos, "0"), pc.greater(length, 1))
    digits = pc.and_(pc.ascii_is_decimal(docnos), pc.less_equal(length, _MOST_DIGITS))
    is_number = pc.fill_null(pc.and_not(digits, leading_zero), fill_value=False)
    only_numbers = pc.if_else(is_number, docnos, pa.scalar("0", type=docnos.type))
    return _to_numpy(pc.cast(only_numbers, pa.int64())), _to_numpy(is_number)


def _to_numpy(values: pa.Array | pa.ChunkedArray) -> NDArray[Any]:
    array: NDArray[Any] = (
        values.to_numpy()
        if isinstance(values, pa.ChunkedArray)
        else values.to_numpy(zero_copy_only=False)
    )
    return array
