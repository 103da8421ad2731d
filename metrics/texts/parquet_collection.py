"""Collections in Parquet: a column of document ids and one of texts, read a batch at a time."""

import contextlib
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import InputError
from ..io import storage as places
from ..io.missing import is_folder, no_such_file
from .passage_columns import columns_of, docnos_of, texts_of

_ROWS = 2048  # whose texts are in memory at once, at most
_LARGE = 1 << 25  # bytes of texts at once; of longer ones it is fewer rows
_BUFFER = 1 << 20
# Text shrinks to a tenth, repetitive text to a fiftieth; what shrinks more was made to fill memory.
_MOST_TIMES = 200
_ALWAYS_ALLOWED = 1 << 26
# Docnos differ, which takes some bytes of each row however they are packed.
_ROWS_ALWAYS_ALLOWED = 1_000_000


def file_size(path: str | Path) -> int:
    """The bytes of the file as it lies there."""
    with _plain_errors(path):
        return places.stat(path).size if places.is_url(path) else Path(path).stat().st_size


def group_sizes(path: str | Path) -> list[int]:
    """The bytes of each row group, unpacked, as the file says; none of a file without passages."""
    with _plain_errors(path), _opened(path) as file:
        columns_of(file.schema_arrow, path)
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        return [group.total_byte_size for group in groups if file.metadata.num_rows]


def read_batches(
    path: str | Path, span: tuple[int, int] | None = None
) -> Generator[tuple[pa.StringArray, pa.StringArray, float], None, None]:
    """Docnos, texts, and the share of the file, or of its `span`, that has been read with them.

    A `span` is that of the row groups to read, from the first up to the second. The columns are
    named as the fields of `json_passage`, and mean the same. Raises `InputError` with the row, from
    1, in the place of a line.
    """
    with _plain_errors(path), _opened(path) as file:
        names = columns_of(file.schema_arrow, path)
        _check_growth(file, path)
        begin, end = span or (0, file.num_row_groups)
        row, n_rows = (_n_rows(file, groups) for groups in (range(begin), range(begin, end)))
        before, n_bytes = row, 0
        most = max(_ALWAYS_ALLOWED, _MOST_TIMES * file_size(path))
        for batch in _batches(path, file, names, range(begin, end)):
            docnos = docnos_of(batch, names[0], path, row)
            texts = texts_of(batch, names[1:], path, row)
            row += len(batch)
            n_bytes += texts.nbytes
            if n_bytes > most:
                raise _grows("text", f"more than {most:,} bytes", path)
            yield docnos, texts, (row - before) / n_rows


def _n_rows(file: pq.ParquetFile, groups: range) -> int:
    return sum(file.metadata.row_group(group).num_rows for group in groups)


def _opened(path: str | Path, **how: Any) -> pq.ParquetFile:
    # Neither mapped nor read ahead: a row group may be larger than the memory.
    source = places.open_raw(path) if places.is_url(path) else path
    return pq.ParquetFile(source, buffer_size=_BUFFER, pre_buffer=False, **how)


def _batches(
    path: str | Path, file: pq.ParquetFile, names: list[str], groups: range
) -> Generator[pa.RecordBatch, None, None]:
    with _opened(path, read_dictionary=names) as dictionaries:
        for group in groups:
            n_rows = rows_at_once(dictionaries, group, names)
            yield from file.iter_batches(n_rows, [group], names, use_threads=False)


def _check_growth(file: pq.ParquetFile, path: str | Path) -> None:
    """Refuse, before anything is unpacked, a file that was made to fill memory or to last."""
    n_bytes, n_rows = file_size(path), file.metadata.num_rows
    if n_rows > max(_ROWS_ALWAYS_ALLOWED, n_bytes):
        raise InputError(
            f"has {n_rows:,} rows in {n_bytes:,} bytes: they repeat one another.",
            path=path,
            remedy="A real collection cannot have so many documents in so few bytes: write it "
            "again.",
        )
    # Of all columns: asking for that of one ends the process where a file is damaged there.
    groups = map(file.metadata.row_group, range(file.num_row_groups))
    size = sum(group.total_byte_size for group in groups)
    if size > max(_ALWAYS_ALLOWED, _MOST_TIMES * n_bytes):
        raise _grows("table", f"{size:,} bytes", path)


def _grows(what: str, size: str, path: str | Path) -> InputError:
    return InputError(
        f"the {what} grows to {size} when it is read, more than {_MOST_TIMES} times its size.",
        path=path,
        remedy="A real collection of texts cannot shrink so much: write it again.",
    )


def rows_at_once(
    dictionaries: pq.ParquetFile, group: int, names: list[str], most: int = _ROWS
) -> int:
    """Number of rows that fit, were each the longest text of the file's dictionary.

    A file of a megabyte can repeat one text a million times.
    """
    longest = 1
    for batch in dictionaries.iter_batches(1, [group], names, use_threads=False):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type) and len(column.dictionary):
                longest = max(longest, pc.max(pc.binary_length(column.dictionary)).as_py())
        break
    return min(most, max(1, _LARGE // longest))


@contextlib.contextmanager
def _plain_errors(path: str | Path) -> Iterator[None]:
    if Path(path).is_dir():
        raise is_folder(path)
    try:
        yield
    except FileNotFoundError:
        raise no_such_file(path, "Parquet is read from a file, not from standard input.") from None
    except pa.ArrowMemoryError:  # an Arrow exception, too
        raise
    except (pa.ArrowException, UnicodeDecodeError) as error:
        raise _damaged(error, path) from error
    except OSError as error:
        if error.errno is None:  # pyarrow's own: what it reads is not Parquet
            raise _damaged(error, path) from error
        raise


def _damaged(why: object, path: str | Path) -> InputError:
    return InputError(f"is damaged, or is not a Parquet file ({why}).", path=path)
