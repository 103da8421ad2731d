"""Arrow columns to and from Python, without Pandas; only `fairpool[fast]` has Arrow.

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
    """The numbers of a column, NaN for null; not copied where they lie in one piece."""
    dtype = np.dtype(column.type.to_pandas_dtype())
    chunks = [_numbers(chunk, dtype) for chunk in column.chunks if len(chunk)]
    return chunks[0] if len(chunks) == 1 else np.concatenate([np.empty(0, dtype), *chunks])


def _numbers(chunk: pa.Array, dtype: np.dtype[Any]) -> NDArray[Any]:
    known, numbers = chunk.buffers()
    values = np.frombuffer(numbers, dtype, len(chunk), chunk.offset * dtype.itemsize)
    if not chunk.null_count:
        return values
    bits = np.unpackbits(np.frombuffer(known, np.uint8), bitorder="little")
    return np.where(bits[chunk.offset : chunk.offset + len(chunk)], values, np.nan)


def chosen_spans(
    buffer: NDArray[np.uint8], ends: NDArray[np.int64], chosen: NDArray[np.int64], padding: int
) -> tuple[NDArray[np.uint8], int]:
    """Those of the spans that follow each other from the start of `buffer`, joined; and their size.

    Span i goes from `ends[i - 1]` to `ends[i]`. `padding` zeros stand behind them.
    """
    bounds = np.zeros(len(ends) + 1, dtype=np.int32)
    bounds[1:] = ends
    spans = pa.Array.from_buffers(
        pa.binary(), len(ends), [None, pa.py_buffer(bounds), pa.py_buffer(buffer)]
    )
    places = pa.Array.from_buffers(pa.int64(), len(chosen), [None, pa.py_buffer(chosen)])
    _, offsets, joined = spans.take(places).buffers()
    size = int(np.frombuffer(offsets, dtype=np.int32)[len(chosen)]) if len(chosen) else 0
    kept = np.zeros(size + padding, dtype=np.uint8)
    if size:
        kept[:size] = np.frombuffer(joined, dtype=np.uint8, count=size)
    return kept, size
