"""The passages of a collection by docno, on disk: a collection need not fit into memory."""

import os
import tempfile
import weakref
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np

from metrics.errors import InputError
from metrics.texts.collection import read_collection


class Passages(Mapping[str, str]):
    """Texts by docno, in the order of the collection.

    The texts lie in a file without a name in `folder` (that of temporary files by default), which
    the system removes; 20 bytes of memory are taken for each passage, whatever its length.
    """

    def __init__(self, path: Path, folder: Path | None = None) -> None:
        starts, keys = array("Q", [0]), array("q")
        file = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - open as long as this is used
        closed = weakref.finalize(self, file.close)
        try:
            for docno, text in read_collection(path):
                keys.append(hash(docno))
                starts.append(starts[-1] + file.write(f"{docno}\t{text}".encode()))
            file.flush()
        except OSError as error:
            closed.detach()
            with suppress(OSError):  # it tries to write the rest
                file.close()
            raise InputError(
                f"the texts of the collection cannot be kept here: {error.strerror}.",
                path=folder or tempfile.gettempdir(),
                remedy="Is the disk full?",
            ) from error
        self._file = file.fileno()
        self._starts = np.frombuffer(starts, dtype=np.uint64)
        unsorted = np.frombuffer(keys, dtype=np.int64)
        self._rows = np.argsort(unsorted, kind="stable").astype(np.uint32)
        self._keys = unsorted[self._rows]

    def __len__(self) -> int:
        return len(self._keys)

    def __iter__(self) -> Iterator[str]:
        return (self.docno_at(row) for row in range(len(self)))

    def __getitem__(self, docno: str) -> str:
        encoded, key = docno.encode(), hash(docno)
        place = int(np.searchsorted(self._keys, key))
        # Two docnos may share a hash: the docno itself decides.
        while place < len(self) and self._keys[place] == key:
            stored, _, text = self._line(int(self._rows[place])).partition(b"\t")
            if stored == encoded:
                return text.decode()
            place += 1
        raise KeyError(docno)

    def first_missing(self, docnos: Sequence[str]) -> int | None:
        """The place of the first docno whose hash no passage has; None if all have one."""
        keys = np.array([hash(docno) for docno in docnos], dtype=np.int64)
        places = np.searchsorted(self._keys, keys).clip(max=len(self) - 1)
        missing = np.flatnonzero(self._keys[places] != keys)
        return int(missing[0]) if len(missing) else None

    def docno_at(self, row: int) -> str:
        """The docno of the passage in this place of the collection, from 0."""
        return self._line(row).partition(b"\t")[0].decode()

    def texts(self) -> Iterator[str]:
        """All texts in the order of the collection, each read when it is needed."""
        return (self._line(row).partition(b"\t")[2].decode() for row in range(len(self)))

    def _line(self, row: int) -> bytes:
        start, end = int(self._starts[row]), int(self._starts[row + 1])
        return os.pread(self._file, end - start, start)
