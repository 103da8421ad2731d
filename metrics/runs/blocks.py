"""A run as blocks of columns: whole queries at a time, in memory that no file's size moves.

The kernels parse; a line that they do not understand is judged by `metrics.runs.definition`.
"""

import re
from collections.abc import Callable, Collection, Iterator
from pathlib import Path
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
from numpy.typing import NDArray

from ..errors import InputError
from ..io.files import open_bytes
from ..io.lines import MAX_RECORD, is_plain, line_too_long, open_text
from ..io.packing import packing_at
from ..kernels import runs as kernels
from . import definition
from .definition import BYTE_ORDER_MARK

BLOCK_SIZE = 4 << 20

# The shortest line that is one: `q 0 d 1 1 t`.
_SHORTEST_LINE = 12
_FIELD = re.compile(rb"[^ \t]+")
_UINT64 = (1 << 64) - 1
# For a newline behind a last line that has none, and because the kernels read eight bytes at once.
_PADDING = 16


class Block:
    """Lines of a run as columns; a row per line, a segment per change of the query.

    Rows `first_row[i]:first_row[i + 1]` are of the query `qids()[i]`. A docno is the bytes
    `docno_start` to `docno_start + docno_length` of `buffer`; everything here is overwritten when
    the next block is read.
    """

    def __init__(self, size: int) -> None:
        self.bytes = bytearray(size + _PADDING)
        self.buffer = np.frombuffer(self.bytes, dtype=np.uint8)
        capacity = size // _SHORTEST_LINE + 1
        self._qid_start = np.empty(capacity, dtype=np.int64)
        self._qid_length = np.empty(capacity, dtype=np.int64)
        self._first_row = np.empty(capacity + 1, dtype=np.int64)
        self._docno_start = np.empty(capacity, dtype=np.int64)
        self._docno_length = np.empty(capacity, dtype=np.int64)
        self._docno_hash = np.empty(capacity, dtype=np.uint64)
        self._rank = np.empty(capacity, dtype=np.int64)
        self._score = np.empty(capacity, dtype=np.float64)
        self._line = np.empty(capacity, dtype=np.int64)
        self._state = np.zeros(kernels.STATE_SIZE, dtype=np.int64)
        self._n_segments = 0
        self.any_line = False

    @property
    def n_rows(self) -> int:
        return int(self._first_row[self._n_segments]) if self._n_segments else 0

    @property
    def n_segments(self) -> int:
        return self._n_segments

    @property
    def first_row(self) -> NDArray[np.int64]:
        return self._first_row[: self._n_segments + 1]

    def columns(self) -> tuple[NDArray[Any], ...]:
        """docno_start, docno_length, docno_hash, rank, score and line of each row."""
        columns = (self._docno_start, self._docno_length, self._docno_hash)
        return tuple(c[: self.n_rows] for c in (*columns, self._rank, self._score, self._line))

    def qids(self) -> pa.StringArray:
        """The query of each segment."""
        n = self._n_segments
        return texts_at(self.buffer, self._qid_start[:n], self._qid_length[:n])

    def parse(
        self, start: int, stop: int, line: int, path: str | Path, selected: Collection[bytes] | None
    ) -> None:
        """Parse the lines of bytes `start` to `stop`; `line` is the number of the first."""
        self._blank_marks(start, stop)
        state = self._state
        state[:] = 0
        state[kernels.POSITION], state[kernels.LINE] = start, line
        limit = kernels.ANY_BYTE if self._is_utf8(start, stop) else kernels.ASCII
        base = self.buffer.ctypes.data
        while (
            kernels.parse(
                base, stop, limit, state,
                self._qid_start, self._qid_length, self._first_row,
                self._docno_start, self._docno_length, self._docno_hash,
                self._rank, self._score, self._line,
            )
            == kernels.ODD_LINE
        ):  # fmt: skip
            self._judge(path, selected)
        self._n_segments = int(state[kernels.SEGMENTS])
        self._first_row[self._n_segments] = state[kernels.ROWS]
        self.any_line = self.any_line or self._n_segments > 0

    def _blank_marks(self, start: int, stop: int) -> None:
        """Write blanks over byte order marks before lines; they stand where files were joined."""
        if self.bytes.isascii():
            return
        size = len(BYTE_ORDER_MARK)
        if self.bytes.startswith(BYTE_ORDER_MARK, start, stop):
            self.bytes[start : start + size] = b" " * size
        at = start
        while (at := self.bytes.find(b"\n" + BYTE_ORDER_MARK, at, stop)) >= 0:
            self.bytes[at + 1 : at + 1 + size] = b" " * size

    def _is_utf8(self, start: int, stop: int) -> bool:
        # The whole buffer is asked first, because that takes no copy.
        if self.bytes.isascii():
            return True
        try:
            self.bytes[start:stop].decode("utf-8")
        except UnicodeDecodeError:
            return False
        return True

    def _judge(self, path: str | Path, selected: Collection[bytes] | None) -> None:
        """Pass over the odd line that `parse` stopped at, refuse it, or add it as a row."""
        state = self._state
        start, number = int(state[kernels.POSITION]), int(state[kernels.LINE])
        end = self.bytes.index(b"\n", start) + 1
        raw = bytes(self.bytes[start:end])
        state[kernels.POSITION], state[kernels.LINE] = end, number + 1
        fields = definition.fields_of(raw)
        self.any_line = self.any_line or bool(fields)
        if not fields or (selected is not None and fields[0] not in selected):
            return
        _, line = definition.parse_line(fields, path, number)
        spans = [match.span() for match in _FIELD.finditer(raw.rstrip(b"\r\n"))]
        self._begin_segment(start + spans[0][0], fields[0])
        row = int(state[kernels.ROWS])
        self._docno_start[row] = start + spans[2][0]
        self._docno_length[row] = len(fields[2])
        self._docno_hash[row] = hash_of(fields[2])
        self._rank[row], self._score[row], self._line[row] = line.rank, line.score, number
        state[kernels.ROWS] = row + 1

    def _begin_segment(self, qid_start: int, qid: bytes) -> None:
        """Begin a segment, unless the line before is of the same query."""
        segment = int(self._state[kernels.SEGMENTS])
        if segment:
            before = int(self._qid_start[segment - 1])
            if self.bytes[before : before + int(self._qid_length[segment - 1])] == qid:
                return
        self._qid_start[segment] = qid_start
        self._qid_length[segment] = len(qid)
        self._first_row[segment] = self._state[kernels.ROWS]
        self._state[kernels.SEGMENTS] = segment + 1
        # The kernel compares with the beginning of a line of the last segment; there is none yet.
        self._state[kernels.PREFIX_LENGTH] = 0

    def leave_last_segment(self) -> tuple[int, int]:
        """Leave the last segment to the next block: where that starts, byte and line."""
        if not self._n_segments:
            return int(self._state[kernels.POSITION]), int(self._state[kernels.LINE])
        self._n_segments -= 1
        row = self._first_row[self._n_segments]
        return int(self._qid_start[self._n_segments]), int(self._line[row])


def read_blocks(
    path: str | Path,
    selected: Collection[bytes] | None,
    on_read: Callable[[Any], object] | None = None,
    size: int = BLOCK_SIZE,
) -> Iterator[Block]:
    """The blocks of a run. A query whose lines stand together is never split between two.

    The same object comes again and again. `selected` are the only queries that matter, or None; a
    line of another query is never an error, but may still be among the rows.
    """
    block, filled, start, line = Block(_enough(path, size)), 0, 0, 1
    # Uncompressed files are used in place, without a copy.
    as_is = Path(path).is_file() and not packing_at(path) and is_plain(path)
    with open_bytes(path) if as_is else open_text(path, on_read) as stream:
        while True:
            filled, ended = _fill(stream, block.bytes, filled, on_read if as_is else None)
            stop = max(start, block.bytes.rfind(b"\n", 0, filled) + 1)
            if too_long := _first_long_line(block, start, filled, line):
                # Errors before that line are reported first.
                block.parse(start, too_long[0], line, path, selected)
                raise line_too_long(path, too_long[1], MAX_RECORD)
            block.parse(start, stop, line, path, selected)
            if ended:
                yield block
                return
            if block.n_segments == 1 or stop == start:
                block = _larger(block, filled)
                continue
            rest, line = block.leave_last_segment()
            yield block
            block.bytes[: filled - rest] = block.bytes[rest:filled]
            filled, start = filled - rest, 0


def _enough(path: str | Path, size: int) -> int:
    """At most `size`, and no more than the file has: of many small runs each takes a block."""
    file = Path(path)
    if not file.is_file() or packing_at(path) or not is_plain(path):
        return size
    # One byte more than the file, so that its end is seen at once.
    return min(size, file.stat().st_size + 1)


def _fill(
    stream: BinaryIO, target: bytearray, filled: int, on_read: Callable[[Any], object] | None
) -> tuple[int, bool]:
    """Read on into `target`; how much of it is filled now, and whether the stream has ended."""
    room = len(target) - _PADDING
    with memoryview(target) as view:
        while filled < room:
            size = stream.readinto(view[filled:room])  # type: ignore[attr-defined] # it has it
            if not size:
                break
            if on_read is not None:
                on_read(view[filled : filled + size])
            filled += size
    ended = filled < room
    if ended and filled and target[filled - 1 : filled] != b"\n":
        target[filled : filled + 1] = b"\n"
        filled += 1
    return filled, ended


def _first_long_line(block: Block, start: int, filled: int, line: int) -> tuple[int, int] | None:
    """Where the first line begins that is longer than any may be, and its number, if there is one.

    `line` is the number of the line at `start`.
    """
    # Such a line fills a whole window of half its length. Looking for that takes no time: in other
    # windows a line end is near the beginning.
    half = MAX_RECORD // 2
    windows = range(start, filled - half + 1, half)
    if not any(block.bytes.find(b"\n", at, at + half) < 0 for at in windows):
        return None
    ends = np.flatnonzero(block.buffer[start:filled] == ord("\n")) + start
    begins = np.concatenate([[start], ends + 1])
    too_long = np.flatnonzero(np.append(ends, filled) - begins > MAX_RECORD)
    return (int(begins[too_long[0]]), line + int(too_long[0])) if too_long.size else None


def _larger(block: Block, filled: int) -> Block:
    larger = Block(2 * len(block.bytes))
    larger.bytes[:filled] = block.bytes[:filled]
    larger.any_line = block.any_line
    return larger


def hash_of(docno: bytes) -> int:
    """The hash that the kernel computes."""
    value = kernels.HASH_START
    for start in range(0, len(docno), 8):
        letters = int.from_bytes(docno[start : start + 8], "little")
        value = (value ^ letters) * kernels.HASH_FACTOR & _UINT64
        value ^= value >> 32
    return value


def texts_at(
    buffer: NDArray[np.uint8], start: NDArray[np.int64], length: NDArray[np.int64]
) -> pa.StringArray:
    """The strings that stand at `start`, `length` bytes each."""
    offsets = np.zeros(len(start) + 1, dtype=np.int32)
    total = int(length.sum())
    if total > np.iinfo(np.int32).max:
        raise InputError("the run is too large to be read whole.", remedy="Read it to a depth.")
    np.cumsum(length, out=offsets[1:])
    texts = np.empty(total + kernels.WORD, dtype=np.uint8)
    kernels.gather(buffer, start, length, offsets, texts)
    texts = texts[:total]
    return pa.StringArray.from_buffers(len(start), pa.py_buffer(offsets), pa.py_buffer(texts))
