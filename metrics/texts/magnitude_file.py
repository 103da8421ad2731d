"""The Parquet file of a scored collection: its columns, and reading them one by one.

Columns: `docno` (string), `n_tokens` (int32), and for each group g `{g}_tc` (int32) and `{g}_tf`
(float64). What the file was made from stands in its key-value metadata, see `Metadata`.
"""

import contextlib
import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from numpy.typing import NDArray

from ..errors import InputError
from ..extras import need
from ..io.columns import number_column
from ..io.file_kinds import MANIFEST
from ..io.missing import is_folder, no_such_file
from .magnitude_store import Metadata

#: Real files grow to some ten times their size when they are read: every docno is another one.
_MOST_TIMES = 200
_ALWAYS_ALLOWED = 1 << 26
_DOCNOS_AT_ONCE = 1 << 20
_REMEDY = "Make it with fairpool score, or score_collection in Python."


def schema_of(groups: Sequence[str]) -> pa.Schema:
    """The columns of a collection that was scored with these groups."""
    columns = [("docno", pa.string()), ("n_tokens", pa.int32())]
    for group in groups:
        columns += [(f"{group}_tc", pa.int32()), (f"{group}_tf", pa.float64())]
    return pa.schema([pa.field(name, kind, nullable=False) for name, kind in columns])


def read_metadata(path: Path) -> Metadata:
    """The provenance in the file; raises `InputError` as `open_magnitudes` does."""
    if (path / MANIFEST).is_file():
        return _metadata_of_folder(path)
    with _plain_errors(path), pq.ParquetFile(path) as file:
        try:
            metadata = Metadata.from_key_values(file.metadata.metadata or {})
        except (KeyError, ValueError):
            raise InputError("is not a scored collection.", path=path, remedy=_REMEDY) from None
        expected = schema_of(metadata.groups)
        if not file.schema_arrow.equals(expected) or file.metadata.num_rows != metadata.n_documents:
            raise InputError("its columns differ from its metadata.", path=path, remedy=_REMEDY)
        widths = (kind.bit_width // 8 for kind in expected.types if kind != pa.string())
        # Of all columns: asking for that of one ends the process where a file is damaged there.
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        unpacked = sum(group.total_byte_size for group in groups)
        _check_size(path, metadata.n_documents * sum(widths) + unpacked)
    return metadata


def read_key_value(path: Path, name: str) -> str | None:
    """Return the file's metadata under a name; None where there are none."""
    with _plain_errors(path), pq.ParquetFile(path) as file:
        value: bytes | None = (file.metadata.metadata or {}).get(name.encode())
        return None if value is None else value.decode()


def _metadata_of_folder(folder: Path) -> Metadata:
    """The provenance in a folder of parts, each of which is read for its own."""
    manifest = folder / MANIFEST
    try:
        values = json.loads(manifest.read_bytes())["metadata"]
        metadata = Metadata(**values | {"groups": tuple(values["groups"])})
        parts = [read_metadata(part) for part in parts_of(folder)]
    except (KeyError, TypeError, ValueError):
        raise InputError("is not the manifest of a scored collection.", path=manifest) from None
    how = {(part.lexicon_sha256, part.groups, part.tokenizer, part.repair) for part in parts}
    expected = {(metadata.lexicon_sha256, metadata.groups, metadata.tokenizer, metadata.repair)}
    if how != expected or sum(part.n_documents for part in parts) != metadata.n_documents:
        raise InputError("its parts differ from what it states.", path=manifest, remedy=_REMEDY)
    return metadata


def parts_of(path: Path) -> list[Path]:
    """The files of a scored collection in their order: that at `path`, or the parts in a folder."""
    if not path.is_dir():
        return [path]
    try:
        manifest = json.loads((path / MANIFEST).read_bytes())
    except FileNotFoundError:
        raise is_folder(path) from None
    return [path / str(part["name"]) for part in manifest["parts"]]


def _check_size(path: Path, n_bytes: int) -> None:
    """Refuse what takes so much memory that no collection was ever scored into so small a file."""
    if n_bytes > max(_ALWAYS_ALLOWED, _MOST_TIMES * path.stat().st_size):
        raise InputError(
            f"grows to {n_bytes:,} bytes when it is read, more than {_MOST_TIMES} times its size.",
            path=path,
            remedy=_REMEDY,
        )


def read_column(path: Path, name: str) -> NDArray[Any]:
    """The numbers of one column, (n_documents,)."""
    columns = [_read_column(part, name) for part in parts_of(path)]
    return columns[0] if len(columns) == 1 else np.concatenate(columns)


def _read_column(path: Path, name: str) -> NDArray[Any]:
    with _plain_errors(path), _opened(path) as file:
        return number_column(file.read(columns=[name], use_threads=True).column(0))


def check_pages(path: Path) -> None:
    """Read every page once; `InputError` where one is not what its checksum says."""
    for part in parts_of(path):
        with _plain_errors(part), _opened(part) as file:
            for _ in file.iter_batches():
                pass


def read_docnos(path: Path) -> pa.ChunkedArray:
    """The document ids of all parts."""
    chunks = [chunk for part in parts_of(path) for chunk in _read_docnos(part)]
    return pa.chunked_array(chunks, pa.string())


def _read_docnos(path: Path) -> Iterator[pa.Array]:
    """The document ids, as many at once as fit were each the longest that the file repeats."""
    n_bytes = 0
    # Only here: who writes magnitudes starts in half the time without it.
    rows_at_once = need(".parquet_collection", __package__).rows_at_once
    with (
        _plain_errors(path),
        _opened(path) as file,
        _opened(path, read_dictionary=["docno"]) as dictionaries,
    ):
        for group in range(file.num_row_groups):
            n_rows = rows_at_once(dictionaries, group, ["docno"], _DOCNOS_AT_ONCE)
            for batch in file.iter_batches(n_rows, [group], ["docno"]):
                n_bytes += batch.nbytes
                _check_size(path, n_bytes)
                yield batch.column(0)


def _opened(path: Path, **how: Any) -> pq.ParquetFile:
    return pq.ParquetFile(path, memory_map=True, page_checksum_verification=True, **how)


@contextlib.contextmanager
def _plain_errors(path: Path) -> Iterator[None]:
    if path.is_dir():
        raise is_folder(path)
    try:
        yield
    except FileNotFoundError:
        raise no_such_file(path, _REMEDY) from None
    except pa.ArrowMemoryError:  # an Arrow exception, too
        raise
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise InputError(
            f"is damaged, or is not a Parquet file ({error}).", path=path, remedy=_REMEDY
        ) from error
