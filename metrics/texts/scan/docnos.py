"""Digests of the docnos of a scored collection, as the scan computes them of lines."""

from importlib import import_module
from typing import Any

import numpy as np

from ...kernels import AVAILABLE
from ..duplicates import digest
from .reading import PADDING
from .scored import Digests

_FEW = 1 << 16  # docnos that Python digests in the time that loading the kernels takes


def digests_of(docnos: Any, *, with_kernels: bool = False) -> Digests:
    """Digests of an Arrow array of docnos, and whether these ascend; see `Scored`.

    Few are digested without the kernels, unless the caller has loaded them already.
    """
    if not with_kernels and (not AVAILABLE or len(docnos) <= _FEW):
        return Digests(b"".join(digest(docno.encode()) for docno in docnos.tolist()))
    kernels = import_module("...kernels.lines", __package__)
    _, offsets, texts = docnos.buffers()
    bounds = np.frombuffer(offsets, dtype=np.int32)[docnos.offset :][: len(docnos) + 1]
    bounds = bounds.astype(np.int64)
    size = int(bounds[-1])
    # The kernel reads whole words, also at the end.
    buffer = np.zeros(size + PADDING, dtype=np.uint8)
    buffer[:size] = np.frombuffer(texts, dtype=np.uint8, count=size)
    digests = np.empty((len(docnos), 2), dtype=np.uint64)
    copied = np.empty(size + PADDING, dtype=np.uint8)
    ends = np.empty(len(docnos) + 1, dtype=np.int32)
    ascending = kernels.copy_docnos(buffer, bounds[:-1], bounds[1:], ends, copied, digests)
    return Digests(digests.data.cast("B"), ascending)
