"""The digest of what is read, on a thread of its own."""

import mmap
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from types import TracebackType
from typing import Self

from ...io.digests import Digest

_BLOCKS_WAITING = 16  # of at most a megabyte: reading may run ahead of the checksum by as much
_AT_ONCE = 1 << 24


class Checksum:
    """The number and the digest of all bytes, in the order in which they are given.

    `progress` is called with the number of bytes whenever some have been read.
    """

    def __init__(self, progress: Callable[[int], object] = lambda _size: None) -> None:
        self.size = 0
        self.progress = progress
        self._digest = Digest()
        self._thread = ThreadPoolExecutor(1)
        self._waiting: deque[Future[object]] = deque()
        self._given_up = threading.Event()

    def update(self, block: bytes) -> None:
        """Take the next bytes, just read; waits where too many have not been used yet."""
        self.size += len(block)
        self.progress(len(block))
        self._waiting.append(self._thread.submit(self._digest.update, block))
        if len(self._waiting) > _BLOCKS_WAITING:
            self._waiting.popleft().result()

    def update_from_file(self, descriptor: int) -> None:
        """Take all bytes of a file that can be mapped into memory; does not wait for them.

        Who reads the file for other reasons calls `progress`.
        """
        # A mapping of its own: the scan forgets what it has read, sooner or later than we do.
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self.size += len(mapped)
        self._waiting.append(self._thread.submit(self._update_mapped, mapped))

    def result(self) -> str:
        """The digest of all bytes that were given."""
        while self._waiting:
            self._waiting.popleft().result()
        return str(self._digest)

    def _update_mapped(self, mapped: mmap.mmap) -> None:
        with mapped, memoryview(mapped) as view:
            for start in range(0, len(view), _AT_ONCE):
                if self._given_up.is_set():
                    return
                with view[start : start + _AT_ONCE] as part:
                    self._digest.update(part)
                    # Memory of the file that stays mapped would count as ours.
                    mapped.madvise(mmap.MADV_DONTNEED, start, len(part))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._given_up.set()
        self._thread.shutdown(cancel_futures=True)


class NoChecksum(Checksum):
    """Only says how much has been read."""

    def update(self, block: bytes) -> None:
        self.progress(len(block))

    def update_from_file(self, descriptor: int) -> None:
        """Who reads the file calls `progress`."""
