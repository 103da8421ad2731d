"""Reading a collection in blocks of whole lines."""

import contextlib
import mmap
import stat
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Any, BinaryIO, Protocol

import numpy as np
from numpy.typing import NDArray

from ...extras import need
from ...io.encodings import HEAD, marks_of
from ...io.files import open_archive, open_bytes
from ...io.lines import MAX_LINE, is_plain, line_too_long, open_text
from ...io.packing import packing_at, packing_of
from ...vocabulary import Format
from ..collection import BYTE_ORDER_MARK, PARQUET, is_parquet
from .checksum import Checksum

SMALL = 1 << 24  # bytes that the definition scores in the time that loading the kernels takes
BLOCK_SIZE = 1 << 21  # larger ones fall out of a processor's caches, smaller ones cost more calls
PADDING = 128  # bytes that kernels may read behind a block
_MADV_POPULATE_READ = 22  # of Linux 5.14; Python has no name for it
_KEPT = 1 << 27  # bytes behind the place of reading that may still be in use
_FORGOTTEN_AT_ONCE = 1 << 24
_FAST = {"", "gz", "zst"}  # ways of packing for which there is a way without Python


class Workspace:
    """Memory for one block on its way through the scan, used again for later ones.

    `buffer[:size]` are whole lines, each ended by a line feed; `PADDING` more bytes can be read.
    The buffer may be a part of a file mapped into memory: it is not to be written to.
    For a collection of rows it holds `rows`, columns of docnos and texts, instead of lines.
    """

    def __init__(self) -> None:
        self.size = 0
        self.rows: Any = None
        self.buffer: NDArray[np.uint8] = np.empty(0, dtype=np.uint8)

    def lines(self) -> list[bytes]:
        """The lines without their line ends."""
        if not self.size:
            return []
        return self.buffer[: self.size].tobytes().removesuffix(b"\n").split(b"\n")

    @classmethod
    def of_lines(cls, lines: Iterable[bytes]) -> "Workspace":
        """The block of these lines, which come without their ends."""
        workspace, block = cls(), b"".join(line + b"\n" for line in lines)
        workspace.buffer = np.frombuffer(block + bytes(PADDING), dtype=np.uint8)
        workspace.size = len(block)
        return workspace


class Reader(Protocol):
    """Fills workspaces with the lines of a collection.

    `is_long` is set by the first call: whether more lines follow, of unknown number.
    """

    @property
    def is_long(self) -> bool: ...

    def fill(self, workspace: Workspace) -> bool:
        """Put the next whole lines into the workspace; False where there are none."""


@contextlib.contextmanager
def open_blocks(path: str | Path, format_: Format, checksum: Checksum) -> Iterator[Reader]:
    """A reader of the lines or rows of `path`; `checksum` gets the bytes as they lie on disk.

    A plain file is mapped into memory, which saves two copies; an archive is mapped for its
    checksum. (A mapped file that shrinks meanwhile ends the program.)
    """
    source = Path(path)
    size = _regular_size(source)
    if 0 < size <= BLOCK_SIZE and format_ != "parquet":
        small = SmallReader(source, size)
        if small.is_plain:
            checksum.update(small.content)
            yield small
            return
    if is_parquet(path, format_):
        with need(".rows", __package__).open_rows(path, checksum) as reader:
            yield reader
        return
    packing = packing_at(path)
    if not size or packing not in _FAST or not is_plain(path):
        with open_text(path, checksum.update) as stream:
            yield StreamReader(stream, path)
        return
    with source.open("rb") as file:
        checksum.update_from_file(file.fileno())
        if packing:
            with open_archive(path, packing) as (stream, place):
                yield ArchiveReader(stream, path, place, checksum.progress)
        else:
            mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            yield MappedReader(mapped, path, checksum.progress)


def _regular_size(path: Path) -> int:
    """Return the size of a local file in bytes; 0 for a pipe, or where there is no file."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


@contextlib.contextmanager
def open_span(
    path: str | Path, span: tuple[int, int], progress: Callable[[int], object]
) -> Iterator[Reader]:
    """A reader of the lines between two offsets of a file, or of all lines of an archive."""
    source = Path(path)
    # Only the beginning of a file has a byte order mark.
    opened = open_bytes if span[0] else open_text
    if not source.is_file() or packing_at(path) or (not span[0] and not is_plain(path)):
        with opened(path, lambda block: progress(len(block)), span) as stream:
            yield StreamReader(stream, path, at_start=not span[0])
        return
    with source.open("rb") as file:
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        yield MappedReader(mapped, path, progress, span)


class SmallReader:
    """Reads a file of one block with a single copy; `content` is its bytes as they are on disk.

    Only for a file that `is_plain`: lines, neither compressed nor in another encoding than UTF-8.
    """

    is_long = False

    def __init__(self, path: Path, size: int) -> None:
        self._buffer = np.empty(size + 1 + PADDING, dtype=np.uint8)
        with path.open("rb", buffering=0) as file:
            size = file.readinto(self._buffer.data[:size])
        self._buffer[size] = ord("\n")
        self._buffer[size + 1 :] = 0
        self.content = self._buffer.data[:size]
        head = self.content[:HEAD].tobytes()
        is_packed = head.startswith(PARQUET) or packing_of(head)
        self.is_plain = not is_packed and marks_of(head).is_plain
        self._begin = len(BYTE_ORDER_MARK) * head.startswith(BYTE_ORDER_MARK)
        self._end = size + (self._buffer[size - 1] != ord("\n"))

    def fill(self, workspace: Workspace) -> bool:
        begin, self._begin = self._begin, self._end
        if begin >= self._end:
            return False
        # Who computes the digest still reads it when the workspace is free again.
        self._buffer.flags.writeable = False
        workspace.buffer, workspace.size = self._buffer[begin:], self._end - begin
        return True


class MappedReader:
    """Reads a file that is mapped into memory, or its bytes between the two offsets of `span`."""

    is_long = False

    def __init__(
        self,
        mapped: mmap.mmap,
        path: str | Path,
        progress: Callable[[int], object],
        span: tuple[int, int] | None = None,
    ) -> None:
        self._mapped, self._path, self._progress = mapped, path, progress
        self._bytes = np.frombuffer(mapped, dtype=np.uint8)
        self._begin, self._end = span or (0, len(mapped))
        self._place = self._seen = self._begin
        if not self._begin and mapped[:3] == BYTE_ORDER_MARK:
            self._place = len(BYTE_ORDER_MARK)
        self._forgotten = self._begin - self._begin % _FORGOTTEN_AT_ONCE

    def fill(self, workspace: Workspace) -> bool:
        start, end = self._place, self._end_of_block(self._place)
        self._expect(start, end)
        self._place = end
        self._progress(end - self._seen)
        self._seen = end
        self._forget(start - _KEPT)
        if end + PADDING <= len(self._mapped) and self._mapped[end - 1] == 0x0A:
            workspace.buffer, workspace.size = self._bytes[start : end + PADDING], end - start
        else:
            # Bytes behind the file must not be touched, and the last line may lack its end.
            lines = self._mapped[start:end]
            lines += b"" if lines.endswith(b"\n") or not lines else b"\n"
            workspace.buffer = np.frombuffer(lines + bytes(PADDING), dtype=np.uint8)
            workspace.size = len(lines)
        return workspace.size > 0

    def _expect(self, start: int, end: int) -> None:
        """Map the pages at once where the system can, instead of one by one when they are read."""
        start -= start % mmap.PAGESIZE
        with contextlib.suppress(OSError):
            self._mapped.madvise(_MADV_POPULATE_READ, start, end - start)

    def _forget(self, end: int) -> None:
        """Release the memory of pages that were read long ago, which the system would keep."""
        end -= end % _FORGOTTEN_AT_ONCE
        if end > self._forgotten:
            self._mapped.madvise(mmap.MADV_DONTNEED, self._forgotten, end - self._forgotten)
            self._forgotten = end

    def _end_of_block(self, start: int) -> int:
        size = self._end
        if start + BLOCK_SIZE >= size:
            return size
        feed = self._mapped.rfind(b"\n", start, start + BLOCK_SIZE)
        if feed < 0:
            feed = self._mapped.find(b"\n", start + BLOCK_SIZE, size)
        end = size if feed < 0 else feed + 1
        if end - start > max(MAX_LINE, BLOCK_SIZE):
            raise line_too_long(self._path, None)
        return end


class StreamReader:
    """Reads a stream of bytes: decompressed ones, standard input, a part of a file.

    Only `at_start` of a file may a byte order mark stand before the first line.
    """

    def __init__(self, stream: BinaryIO, path: str | Path, *, at_start: bool = True) -> None:
        self._stream = stream
        self._path = path
        self._rest = b""  # the begun line at the end of the block before
        self._is_first = at_start
        self._at_end = False

    @property
    def is_long(self) -> bool:
        return not self._at_end

    def fill(self, workspace: Workspace) -> bool:
        rest, self._rest = self._rest, b""
        _make_room(workspace, max(BLOCK_SIZE, 2 * len(rest)))
        workspace.buffer[: len(rest)] = np.frombuffer(rest, dtype=np.uint8)
        filled = len(rest)
        feed = -1
        while not self._at_end and feed < 0:
            if filled == len(workspace.buffer) - PADDING:
                if filled > MAX_LINE:
                    raise line_too_long(self._path, None)
                _make_room(workspace, 2 * filled)
            start, filled = filled, self._read(workspace.buffer, filled)
            feed = _last_feed(workspace.buffer, start, filled)
        return self._whole_lines(workspace, filled, feed + 1)

    def _read(self, buffer: NDArray[np.uint8], filled: int) -> int:
        """Read until the buffer is full or the stream ends."""
        room = buffer.data[: len(buffer) - PADDING]
        while filled < len(room):
            size = self._stream.readinto(room[filled:])  # type: ignore[attr-defined] # all ours can
            if not size:
                self._at_end = True
                break
            filled += size
        return filled

    def _whole_lines(self, workspace: Workspace, filled: int, end: int) -> bool:
        buffer = workspace.buffer
        if self._at_end and filled > end:
            buffer[filled] = ord("\n")
            end = filled = filled + 1
        self._rest = buffer[end:filled].tobytes()
        if self._is_first and buffer[: min(3, end)].tobytes() == BYTE_ORDER_MARK:
            buffer[: end - 3] = buffer[3:end].copy()
            end -= 3
        self._is_first = False
        buffer[end : end + PADDING - 1] = 0
        workspace.size = end
        return end > 0


class ArchiveReader(StreamReader):
    """Reads what an archive holds; `place` says how far the archive itself has been read."""

    def __init__(
        self,
        stream: BinaryIO,
        path: str | Path,
        place: Callable[[], int],
        progress: Callable[[int], object],
    ) -> None:
        super().__init__(stream, path)
        self._place, self._progress, self._seen = place, progress, 0

    def fill(self, workspace: Workspace) -> bool:
        filled = super().fill(workspace)
        place = self._place()
        self._progress(place - self._seen)
        self._seen = place
        return filled


def _last_feed(buffer: NDArray[np.uint8], start: int, end: int) -> int:
    """The place of the last line feed in [start, end), or -1. It is near: lines are short."""
    step = 1 << 14
    while end > start:
        begin = max(start, end - step)
        place = buffer[begin:end].tobytes().rfind(b"\n")
        if place >= 0:
            return begin + place
        end = begin
    return -1


def _make_room(workspace: Workspace, size: int) -> None:
    """Enlarge the buffer to `size` bytes, keeping its content unless it is a mapped file's."""
    is_ours = workspace.buffer.flags.writeable
    if len(workspace.buffer) < size + PADDING or not is_ours:
        buffer = np.zeros(size + PADDING, dtype=np.uint8)
        if is_ours:
            buffer[: len(workspace.buffer)] = workspace.buffer
        workspace.buffer = buffer
