"""The memory that this process holds, as Linux tells it."""

import os
from enum import IntEnum
from pathlib import Path


class Held(IntEnum):
    """Kinds of a process's memory, by their fields of /proc/self/statm."""

    RESIDENT = 1
    DATA = 5


def bytes_held(kind: Held) -> int:
    """Return the process's memory of this kind; 0 where the system does not tell."""
    statm = Path("/proc/self/statm")
    if not statm.exists():
        return 0
    return int(statm.read_text().split()[kind]) * os.sysconf("SC_PAGE_SIZE")
