"""What tells the docnos of a scored collection apart, as the scan computes it of their lines."""

from importlib import import_module

import numpy as np
import pyarrow as pa

from ..duplicates import digest
from .reading import PADDING
from .scored import Digests

_FEW = 1 << 16  # docnos that Python digests in the time that loading the kernels takes


def digests_of(docnos: pa.StringArray) -> Digests:
    """The digests of the docnos, and whether they ascend; see `Scored`."""
    if len(docnos) <= _FEW:
        return Digests(b"".join(digest(docno.encode()) for docno in docnos.to_pylist()))
    kernels = import_module("...kernels.lines", __package__)
    _, offsets, texts = docnos.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)[docnos.offset :][: len(docnos) + 1]
    bounds = bounds.astype(np.int64)
    size = int(bounds[-1])
    # The kernel reads whole words, also at the end.
    buffer = np.zeros(size + PADDING, dtype=np.uint8)
    buffer[:size] = np.frombuffer(texts, dtype=np.uint8, count=size)
    found = np.empty((len(docnos), 2), dtype=np.uint64)
    copied = np.empty(size + PADDING, dtype=np.uint8)
    ends = np.empty(len(docnos) + 1, dtype=np.int32)
    ascending = kernels.copy_docnos(buffer, bounds[:-1], bounds[1:], ends, copied, found)
    return Digests(found.data.cast("B"), ascending)
