"""From document ids to row positions in a small collection."""

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


class DocnoTable:
    """What `DocnoIndex` does, in plain Python: at once where that takes longer to load."""

    def __init__(self, docnos: pa.ChunkedArray) -> None:
        self._row_of = {docno: row for row, docno in enumerate(docnos.to_pylist())}

    def find(
        self, docnos: pa.Array | pa.ChunkedArray | Sequence[str] | NDArray[np.int64]
    ) -> NDArray[np.int64]:
        """The row of each docno, -1 where the collection does not have it; see `DocnoIndex`."""
        if isinstance(docnos, np.ndarray):
            docnos = [str(docno) for docno in docnos.tolist()]
        elif isinstance(docnos, pa.Array | pa.ChunkedArray):
            docnos = docnos.to_pylist()
        rows = (self._row_of.get(docno, -1) for docno in docnos)
        return np.fromiter(rows, dtype=np.int64, count=len(docnos))
