"""Limits of the memory that a site's processes keep, however the site is served."""

import contextlib
import ctypes
import os

#: M_ARENA_MAX of malloc.h.
_MOST_HEAPS = -8


def share_heaps() -> None:
    """Let threads share two heaps: each would keep one as large as the largest page it answered.

    Processes that are forked later do so, too. Where the C library is not GNU's there is nothing
    to set. Arrow takes its memory there, too.
    """
    with contextlib.suppress(AttributeError):
        ctypes.CDLL(None).mallopt(_MOST_HEAPS, 2)
    os.environ.setdefault("ARROW_DEFAULT_MEMORY_POOL", "system")
