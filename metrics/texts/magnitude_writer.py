"""Writes a scored collection while it is scanned: whole in the end, or not there at all."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from types import MappingProxyType
from typing import Any, BinaryIO

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..io.columns import string_column
from ..io.files import replacing
from ..io.strings import Strings
from .magnitude import Scores
from .magnitude_file import schema_of
from .magnitude_store import Metadata

# Row groups have this size however the rows arrive, so that the same collection gives the same
# bytes whatever the number of threads and the size of the blocks that it was read in.
ROWS_PER_GROUP = 1 << 18


@contextlib.contextmanager
def writing_magnitudes(
    path: str | Path, groups: Sequence[str], *, packed: bool = True
) -> Iterator["MagnitudeWriter"]:
    """Write passages in the order of the collection, then `finish`.

    The file appears at `path` when the block ends without an error; otherwise nothing does. What
    is not `packed` takes several times the space and a fraction of the time.
    """
    # Python's file, unlike Arrow's, reports a full disk with its error number.
    with replacing(path) as temporary, temporary.open("wb") as file:
        writer = MagnitudeWriter(file, groups, packed=packed)
        try:
            yield writer
        except BaseException:
            writer.abandon()
            raise
        if not writer.finished:
            writer.abandon()
            raise RuntimeError("finish() was not called: the file would have no metadata")


class MagnitudeWriter:
    """Gathers passages into row groups; get one from `writing_magnitudes`."""

    def __init__(self, file: BinaryIO, groups: Sequence[str], *, packed: bool = True) -> None:
        self.finished = False
        self._groups = groups
        self._schema = schema_of(groups)
        # Small numbers are packed as differences in half the time that a dictionary takes.
        differences = {f"{group}_tc": "DELTA_BINARY_PACKED" for group in groups}
        packing: dict[str, Any] = {
            "compression": "zstd",
            "compression_level": 1,
            "use_dictionary": [
                name for name in self._schema.names if name not in {"docno", *differences}
            ],
            "column_encoding": differences,
        }
        self._waiting: list[pa.RecordBatch] = []
        self._n_waiting = 0
        self._writer = pq.ParquetWriter(
            file,
            self._schema,
            version="2.6",
            data_page_version="1.0",
            write_statistics=False,
            write_page_checksum=True,
            store_schema=False,
            **(packing if packed else {"compression": "none", "use_dictionary": False}),
        )

    def write(self, docnos: Strings | Sequence[str], scores: Scores) -> None:
        """Append passages: their docnos and what `score_texts` gives for them."""
        if not isinstance(docnos, pa.Array):
            docnos = string_column(docnos)
        columns = [docnos, as_arrow(scores.n_tokens)]
        for group in self._groups:
            columns += [as_arrow(scores.tc[group]), as_arrow(scores.tf[group])]
        batch = pa.record_batch(columns, schema=self._schema)
        self._waiting.append(batch)
        self._n_waiting += len(batch)
        if self._n_waiting >= ROWS_PER_GROUP:
            self._write_groups(whole_only=True)

    def finish(self, metadata: Metadata, more: Mapping[str, str] = MappingProxyType({})) -> None:
        """Write what is left and what the file was made from; and `more` by its names."""
        self._write_groups(whole_only=False)
        self._writer.add_key_value_metadata(metadata.to_key_values() | dict(more))
        self._writer.close()
        self.finished = True

    def abandon(self) -> None:
        """Close without caring: the footer cannot be written where the disk is full."""
        with contextlib.suppress(OSError):
            self._writer.close()

    def _write_groups(self, *, whole_only: bool) -> None:
        table = pa.Table.from_batches(self._waiting, schema=self._schema)
        end = len(table) - len(table) % ROWS_PER_GROUP if whole_only else len(table)
        for start in range(0, end, ROWS_PER_GROUP):
            # One chunk per column: the place of page ends depends on the chunks.
            group = table.slice(start, min(ROWS_PER_GROUP, end - start)).combine_chunks()
            self._writer.write_table(group, row_group_size=ROWS_PER_GROUP)
        self._waiting = table.slice(end).to_batches()
        self._n_waiting = len(table) - end


def as_arrow(values: NDArray[Any]) -> pa.Array:
    """The values without a copy. `pa.array` would import pandas, which takes a quarter second."""
    kind = pa.from_numpy_dtype(values.dtype)
    memory = pa.py_buffer(np.ascontiguousarray(values))
    return pa.Array.from_buffers(kind, len(values), [None, memory])
