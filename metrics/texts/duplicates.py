"""Finding a repeated key among any number of keys in bounded memory."""

import tempfile
from collections.abc import Iterator
from functools import partial
from types import TracebackType
from typing import BinaryIO, Self

import numpy as np
from numpy.typing import NDArray

DIGEST_SIZE = 16
_UINT64 = (1 << 64) - 1
_IN_MEMORY = 1 << 28  # bytes of digests kept in memory: 16 million keys
_PART = 1 << 12  # bytes; less is gathered
_KEYS_PER_PASS = 1 << 24
_KEYS_PER_READ = 1 << 20


def digest(key: bytes) -> bytes:
    """128 bits that stand for a key; no two keys of any real collection share them.

    Eight bytes of the key at a time go into two chains of multiplications; keys of the same length
    up to eight bytes never collide. `metrics.kernels.lines` computes the same bits.
    """
    first, second = len(key), len(key) ^ 0xD1B54A32D192ED03
    for start in range(0, len(key), 8):
        letters = int.from_bytes(key[start : start + 8], "little")
        first = (first ^ letters) * 0x9E3779B97F4A7C15 & _UINT64
        first ^= first >> 32
        second = (second + letters) * 0xBF58476D1CE4E5B9 & _UINT64
        second ^= second >> 29
    first, second = first * 0x94D049BB133111EB & _UINT64, second * 0xD6E8FEB86659FD93 & _UINT64
    return first.to_bytes(8, "little") + second.to_bytes(8, "little")


class Duplicates:
    """Keeps a 128-bit digest of each key and finds the first key that was seen before.

    Digests beyond 256 MiB go to a temporary file, and are compared in passes over it.
    """

    def __init__(self) -> None:
        self._parts: list[bytes | bytearray | memoryview] = []
        self._held = 0  # bytes in `_parts`
        self._begun = bytearray()  # the next part, where digests come one by one
        self._file: BinaryIO | None = None
        self._n_keys = 0

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._file is not None:
            self._file.close()

    def add(self, digests: bytes | memoryview) -> None:
        """Add the digests of the next keys, 16 bytes each, joined; they are not copied."""
        self._n_keys += len(digests) // DIGEST_SIZE
        if len(digests) < _PART:
            self._begun += digests
            if len(self._begun) >= _PART:
                self._keep_begun()
            return
        self._keep_begun()
        self._keep(digests)

    def _keep_begun(self) -> None:
        begun, self._begun = self._begun, bytearray()
        self._keep(begun)

    def _keep(self, part: bytes | bytearray | memoryview) -> None:
        if self._file is not None:
            self._file.write(part)
            return
        self._parts.append(part)
        self._held += len(part)
        if self._held > _IN_MEMORY:
            self._file = tempfile.TemporaryFile()  # noqa: SIM115 - closed in __exit__
            self._file.writelines(self._parts)
            self._parts.clear()

    def first(self) -> tuple[int, int] | None:
        """The number of the first repeated key and of its first occurrence, counted from 0."""
        passes = -(-self._n_keys // _KEYS_PER_PASS)
        pairs = [pair for part in range(passes) if (pair := self._first_of(part, passes))]
        return min(pairs, default=None)

    def _first_of(self, part: int, passes: int) -> tuple[int, int] | None:
        """The first duplicate among the keys whose digest falls into this part of all digests."""
        numbers, keys = [], []
        for start, digests in self._read():
            mine = np.flatnonzero(digests[:, 1] % passes == part)
            numbers.append(mine + start)
            keys.append(digests[mine])
        number, key = np.concatenate(numbers), np.concatenate(keys)
        ordered = np.sort(key[:, 0])
        suspects = np.unique(ordered[1:][ordered[1:] == ordered[:-1]])
        if not len(suspects):
            return None
        suspect = np.isin(key[:, 0], suspects)
        return _first_equal(number[suspect], key[suspect])

    def _read(self) -> Iterator[tuple[int, NDArray[np.uint64]]]:
        self._keep_begun()
        start = 0
        for part in self._parts if self._file is None else _parts_of(self._file):
            digests = np.frombuffer(part, dtype=np.uint64).reshape(-1, 2)
            yield start, digests
            start += len(digests)


def _parts_of(file: BinaryIO) -> Iterator[bytes]:
    file.seek(0)
    return iter(partial(file.read, _KEYS_PER_READ * DIGEST_SIZE), b"")


def _first_equal(numbers: NDArray[np.int64], keys: NDArray[np.uint64]) -> tuple[int, int] | None:
    seen: dict[bytes, int] = {}
    for number, key in zip(numbers.tolist(), keys, strict=True):
        earlier = seen.setdefault(key.tobytes(), number)
        if earlier != number:
            return number, earlier
    return None
