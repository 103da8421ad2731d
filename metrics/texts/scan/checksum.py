"""Digests of the files that are read, on a thread of their own."""

import mmap
import threading
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from pathlib import Path
from types import TracebackType
from typing import Self

from ...io.digests import Digest
from ...io.storage import is_url, open_raw

_BLOCKS_WAITING = 16  # of at most a megabyte: reading may run ahead of the checksum by as much
_AT_ONCE = 1 << 24


class Checksums:
    """Computes the digests of files, one after the other; get each from `begin`.

    `progress` is called with the number of bytes whenever some have been read.
    """

    def __init__(self, progress: Callable[[int], object] = lambda _size: None) -> None:
        self.progress = progress
        self.files: list[Checksum] = []
        self._thread = ThreadPoolExecutor(1)
        self._waiting: deque[Future[object]] = deque()
        self._given_up = threading.Event()

    def begin(self) -> "Checksum":
        """The digest of the next file."""
        self.files.append(Checksum(self))
        return self.files[-1]

    def results(self) -> list[str]:
        """The digests of all files."""
        self._wait_for(0)
        return [str(file.digest) for file in self.files]

    def submit(self, update: Callable[..., object], *arguments: object) -> None:
        """Compute behind what waits already; waits itself where that is too much."""
        self._waiting.append(self._thread.submit(update, *arguments))
        self._wait_for(_BLOCKS_WAITING)

    def _wait_for(self, n_left: int) -> None:
        while len(self._waiting) > n_left:
            self._waiting.popleft().result()

    @property
    def is_given_up(self) -> bool:
        return self._given_up.is_set()

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


class Checksum:
    """The number and the digest of all bytes of a file, in the order in which they are given."""

    def __init__(self, checksums: Checksums) -> None:
        self.size = 0
        self.digest = Digest()
        self._checksums = checksums

    def progress(self, size: int) -> None:
        """So many bytes more have been read."""
        self._checksums.progress(size)

    def update(self, block: bytes | memoryview) -> None:
        """Take the next bytes, just read; waits where too many have not been used yet."""
        self.size += len(block)
        self.progress(len(block))
        self._checksums.submit(self.digest.update, block)

    def update_from_file(self, descriptor: int) -> None:
        """Take all bytes of a file that can be mapped into memory; does not wait for them.

        Who reads the file for other reasons calls `progress`.
        """
        # A mapping of its own: the scan forgets what it has read, sooner or later than we do.
        mapped = mmap.mmap(descriptor, 0, access=mmap.ACCESS_READ)
        self.size += len(mapped)
        self._checksums.submit(self._update_mapped, mapped)

    def update_from(self, path: str | Path) -> None:
        """Take all bytes of a file that others read in parts; waits only where it is far away."""
        with open_raw(path) as file:
            if not is_url(path):
                self.update_from_file(file.fileno())
                return
            while block := file.read(_AT_ONCE):
                self.size += len(block)
                self._checksums.submit(self.digest.update, block)

    def _update_mapped(self, mapped: mmap.mmap) -> None:
        with mapped, memoryview(mapped) as view:
            for start in range(0, len(view), _AT_ONCE):
                if self._checksums.is_given_up:
                    return
                with view[start : start + _AT_ONCE] as part:
                    self.digest.update(part)
                    # Memory of the file that stays mapped would count as ours.
                    mapped.madvise(mmap.MADV_DONTNEED, start, len(part))


class NoChecksum(Checksum):
    """Only says how much has been read."""

    def __init__(self, progress: Callable[[int], object] = lambda _size: None) -> None:
        self._progress = progress

    def progress(self, size: int) -> None:
        self._progress(size)

    def update(self, block: bytes | memoryview) -> None:
        self.progress(len(block))

    def update_from_file(self, descriptor: int) -> None:
        """Do nothing: the reader of the file calls `progress`."""
