"""Arrow columns to and from Python, without Pandas.

`pa.array` and `to_numpy` look for Pandas, and where it is installed load it for half a second.
"""

from collections.abc import Iterable
from typing import Any

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray


def string_column(texts: Iterable[str]) -> pa.StringArray:
    """The texts as an Arrow array."""
    builder = pa.lib.StringBuilder()
    builder.append_values(texts)
    return builder.finish()


def number_column(column: pa.ChunkedArray) -> NDArray[Any]:
    """The numbers of a column that has no nulls; not copied where they lie in one piece."""
    dtype = np.dtype(column.type.to_pandas_dtype())
    chunks = [
        np.frombuffer(chunk.buffers()[1], dtype, len(chunk), chunk.offset * dtype.itemsize)
        for chunk in column.chunks
        if len(chunk)
    ]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.empty(0, dtype), *chunks])
