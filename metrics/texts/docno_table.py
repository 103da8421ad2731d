"""From document ids to row positions in a small collection."""

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ..io.strings import Strings


class DocnoTable:
    """The work of `DocnoIndex` in plain Python, quicker for collections of few documents."""

    def __init__(self, docnos: Sequence[str]) -> None:
        self._row_of = {docno: row for row, docno in enumerate(docnos)}

    def find(self, docnos: Strings | Sequence[str] | NDArray[np.int64]) -> NDArray[np.int64]:
        """The row of each docno, -1 where the collection does not have it; see `DocnoIndex`."""
        listed: Sequence[Any] = docnos if isinstance(docnos, Sequence) else docnos.tolist()
        if isinstance(docnos, np.ndarray) and docnos.dtype.kind == "i":
            listed = [str(docno) for docno in listed]
        rows = (self._row_of.get(docno, -1) for docno in listed)
        return np.fromiter(rows, dtype=np.int64, count=len(docnos))
