"""A memory limit of one job: exceeding it ends the job, not the worker."""

import contextlib
import errno
import os
import resource
from collections.abc import Iterator
from pathlib import Path

from annotation.core.process_memory import Held, bytes_held
from metrics.errors import InputError

_MEGABYTE = 1_000_000
#: Files with a container's memory limit: cgroups of version 2, and of version 1.
_CONTAINER = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")


class OutOfMemoryError(InputError):
    """The job asked for more memory than a job may take."""


@contextlib.contextmanager
def memory_limit(megabytes: int) -> Iterator[None]:
    """Limit the additional memory of this process; 0 means half of what there is.

    Raises `OutOfMemoryError` where the block asks for more. A process limit holds for NumPy, Arrow
    and Numba alike, which do not count each other's memory, and for processes that the job starts.
    A worker does one job at a time, so that the process is the job.
    """
    size = megabytes * _MEGABYTE or _machine_bytes() // 2
    soft, hard = resource.getrlimit(resource.RLIMIT_DATA)
    limits = [bytes_held(Held.DATA) + size, *(known for known in (soft, hard) if known >= 0)]
    resource.setrlimit(resource.RLIMIT_DATA, (min(limits), hard))
    try:
        yield
    except (MemoryError, OSError, RuntimeError) as error:
        if not _is_of_memory(error):
            raise
        raise OutOfMemoryError(
            f"the job needs more than {size // _MEGABYTE:,} MB of memory.",
            remedy="Measure fewer runs or queries at once, or set JOB_MEMORY_MB higher.",
        ) from error
    finally:
        resource.setrlimit(resource.RLIMIT_DATA, (soft, hard))


def _is_of_memory(error: Exception) -> bool:
    """Return whether the error says that memory is exhausted, also for the stack of a thread."""
    if isinstance(error, OSError):
        return error.errno == errno.ENOMEM
    return isinstance(error, MemoryError) or "start new thread" in str(error)


def _machine_bytes() -> int:
    """Return the memory of the machine, or of the container if that has less."""
    installed = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    limits = [path.read_text().strip() for path in map(Path, _CONTAINER) if path.exists()]
    return min([installed, *(int(limit) for limit in limits if limit.isdecimal())])
