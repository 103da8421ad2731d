"""Collections in Parquet: a column of document ids and one of texts, read a batch at a time."""

import contextlib
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from ..errors import InputError
from ..io.columns import string_column
from ..io.lines import MAX_LINE, line_too_long
from .collection import ID_FIELDS, TEXT_FIELDS, blank_in_docno, empty_docno

_ROWS = 2048  # whose texts are in memory at once, at most
_LARGE = 1 << 25  # bytes of texts at once; of longer ones it is fewer rows
_BUFFER = 1 << 20
# Text shrinks to a tenth, repetitive text to a fiftieth; what shrinks more was made to fill memory.
_MOST_TIMES = 200
_ALWAYS_ALLOWED = 1 << 26
# Docnos differ, which takes some bytes of each row however they are packed.
_ROWS_ALWAYS_ALLOWED = 1_000_000
# Out of arrays, as `pa.scalar` would import pandas, which takes a quarter second.
_YES = pa.Array.from_buffers(pa.bool_(), 1, [None, pa.py_buffer(b"\1")])[0]
_NO = pa.Array.from_buffers(pa.bool_(), 1, [None, pa.py_buffer(b"\0")])[0]
_NO_LENGTH = pa.Array.from_buffers(pa.int32(), 1, [None, pa.py_buffer(bytes(4))])[0]
_LONGEST = pa.Array.from_buffers(
    pa.int32(), 1, [None, pa.py_buffer(MAX_LINE.to_bytes(4, sys.byteorder))]
)[0]
_BLANK = string_column([" "])[0]
_REMEDY = "Write a column id and a column text, as JSON lines have them."


def text_size(path: str | Path) -> int:
    """The bytes of the texts, unpacked, as the file says."""
    with _plain_errors(path), _opened(path) as file:
        names = _columns(file, path)
        places = [file.schema_arrow.get_field_index(name) for name in names[1:]]
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        return sum(
            group.column(place).total_uncompressed_size for group in groups for place in places
        )


def read_batches(
    path: str | Path,
) -> Generator[tuple[pa.StringArray, pa.StringArray, float], None, None]:
    """Docnos, texts, and the share of the file that has been read with them.

    The columns are named as the fields of `json_passage`, and mean the same. Raises `InputError`
    with the row, from 1, in the place of a line.
    """
    with _plain_errors(path), _opened(path) as file:
        names = _columns(file, path)
        _check_growth(file, names, path)
        row, n_rows, n_bytes = 0, file.metadata.num_rows, 0
        most = max(_ALWAYS_ALLOWED, _MOST_TIMES * Path(path).stat().st_size)
        for batch in _batches(path, file, names):
            docnos = _strings(batch.column(names[0]), names[0], path, row)
            _check_docnos(docnos, path, row)
            texts = _strings(batch.column(names[1]), names[1], path, row)
            for name in names[2:]:
                texts = _with_titles(batch.column(name), texts)
            row += len(batch)
            n_bytes += texts.nbytes
            if n_bytes > most:
                raise _grows("text", f"more than {most:,} bytes", path)
            yield docnos, texts, row / n_rows


def _opened(path: str | Path, **how: Any) -> pq.ParquetFile:
    # Neither mapped nor read ahead: a row group may be larger than the memory.
    return pq.ParquetFile(path, buffer_size=_BUFFER, pre_buffer=False, **how)


def _batches(
    path: str | Path, file: pq.ParquetFile, names: list[str]
) -> Generator[pa.RecordBatch, None, None]:
    with _opened(path, read_dictionary=names) as dictionaries:
        for group in range(file.num_row_groups):
            n_rows = _rows_at_once(dictionaries, group, names)
            yield from file.iter_batches(n_rows, [group], names, use_threads=False)


def _check_growth(file: pq.ParquetFile, names: list[str], path: str | Path) -> None:
    """Refuse, before anything is unpacked, columns that were made to fill memory or to last."""
    n_bytes, n_rows = Path(path).stat().st_size, file.metadata.num_rows
    if n_rows > max(_ROWS_ALWAYS_ALLOWED, n_bytes):
        raise InputError(
            f"has {n_rows:,} rows in {n_bytes:,} bytes: they repeat one another.",
            path=path,
            remedy="No collection has so many documents in so little: write it anew.",
        )
    places = [file.schema_arrow.get_field_index(name) for name in names]
    for group in map(file.metadata.row_group, range(file.num_row_groups)):
        for chunk in map(group.column, places):
            size = chunk.total_uncompressed_size
            if size > max(_ALWAYS_ALLOWED, _MOST_TIMES * chunk.total_compressed_size):
                raise _grows(f"column {chunk.path_in_schema}", f"{size:,} bytes", path)


def _grows(what: str, size: str, path: str | Path) -> InputError:
    return InputError(
        f"the {what} grows to {size} when it is read, more than {_MOST_TIMES} times its size.",
        path=path,
        remedy="No collection of texts shrinks so much: write it anew.",
    )


def _rows_at_once(dictionaries: pq.ParquetFile, group: int, names: list[str]) -> int:
    """How many rows fit, were each the longest text that the file repeats by number.

    A file of a megabyte can repeat one text a million times.
    """
    longest = 1
    for batch in dictionaries.iter_batches(1, [group], names, use_threads=False):
        for column in batch.columns:
            if pa.types.is_dictionary(column.type) and len(column.dictionary):
                longest = max(longest, pc.max(pc.binary_length(column.dictionary)).as_py())
        break
    return min(_ROWS, max(1, _LARGE // longest))


def _columns(file: pq.ParquetFile, path: str | Path) -> list[str]:
    """The names of the columns of docnos and of texts, and of titles where there are some."""
    schema = file.schema_arrow
    found = []
    for names in (ID_FIELDS, TEXT_FIELDS):
        there = [name for name in names if name in schema.names]
        if not there:
            raise InputError(
                f"no column {' or '.join(names)}, of {', '.join(schema.names)}.",
                path=path,
                remedy=_REMEDY,
            )
        found.append(there[0])
    title = ["title"] if "title" in schema.names else []
    for name in (*found, *title):
        kind = schema.field(name).type
        is_id = name == found[0] and pa.types.is_integer(kind)
        if not is_id and not _is_text(kind):
            raise InputError(f"the column {name} holds {kind}, no texts.", path=path)
    return found + title


def _is_text(kind: pa.DataType) -> bool:
    if pa.types.is_dictionary(kind):
        kind = kind.value_type
    is_any_of = pa.types
    return bool(
        is_any_of.is_string(kind)
        or is_any_of.is_large_string(kind)
        or is_any_of.is_string_view(kind)
        or is_any_of.is_binary(kind)  # written without a word about what the bytes are
    )


def _strings(column: pa.Array, name: str, path: str | Path, row: int) -> pa.StringArray:
    """The column as valid strings, none of them missing."""
    if column.null_count:
        place = column.is_null().index(_YES).as_py()
        raise InputError(
            f"nothing in the column {name}.",
            path=path,
            line=row + place + 1,
            remedy="Each passage needs a docno and a text, which may be empty.",
        )
    try:
        texts = column if column.type == pa.string() else column.cast(pa.string())
        texts.validate(full=True)
        lengths = pc.binary_length(texts)
    except pa.ArrowInvalid:
        raise InputError(
            f"in the column {name}, here or a little further on, something is not UTF-8.",
            path=path,
            line=row + 1,
            remedy="Save the collection as UTF-8.",
        ) from None
    if (pc.max(lengths).as_py() or 0) > MAX_LINE:
        place = pc.greater(lengths, _LONGEST).index(_YES).as_py()
        raise line_too_long(path, row + place + 1)
    return texts


def _check_docnos(docnos: pa.StringArray, path: str | Path, row: int) -> None:
    empty = pc.binary_length(docnos).index(_NO_LENGTH).as_py()
    blank = pc.match_substring(docnos, " ").index(_YES).as_py()
    if empty >= 0 and (blank < 0 or empty < blank):
        raise empty_docno(path, row + empty + 1)
    if blank >= 0:
        raise blank_in_docno(docnos[blank].as_py(), path, row + blank + 1)


def _with_titles(titles: pa.Array, texts: pa.StringArray) -> pa.StringArray:
    titles = titles.cast(pa.string())
    has_title = pc.fill_null(pc.not_equal(pc.binary_length(titles), _NO_LENGTH), _NO)
    titled = pc.binary_join_element_wise(titles, texts, _BLANK)
    return pc.if_else(has_title, titled, texts)


@contextlib.contextmanager
def _plain_errors(path: str | Path) -> Iterator[None]:
    if Path(path).is_dir():
        raise InputError("is a folder, not a file.", path=path)
    try:
        yield
    except FileNotFoundError:
        raise InputError(
            "no such file.",
            path=path,
            remedy="Parquet is read from a file, not from standard input.",
        ) from None
    except pa.ArrowMemoryError:  # an Arrow exception, too
        raise
    except pa.ArrowException as error:
        raise InputError(f"is damaged or no Parquet file ({error}).", path=path) from error
