"""Docnos and texts in the columns of a table: their names, and what they must be.

The columns are named as the fields of JSON lines, and mean the same. A row, from 1, stands in
errors for a line.
"""

import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc

from ..errors import InputError
from ..io.columns import string_column
from ..io.lines import MAX_LINE, line_too_long
from .collection import BLANKS, ID_FIELDS, TEXT_FIELDS, check_docno

# Out of arrays, as `pa.scalar` would import pandas, which takes a quarter second.
_YES = pa.Array.from_buffers(pa.bool_(), 1, [None, pa.py_buffer(b"\1")])[0]
_NO = pa.Array.from_buffers(pa.bool_(), 1, [None, pa.py_buffer(b"\0")])[0]
_NO_LENGTH = pa.Array.from_buffers(pa.int32(), 1, [None, pa.py_buffer(bytes(4))])[0]
_LONGEST = pa.Array.from_buffers(
    pa.int32(), 1, [None, pa.py_buffer(MAX_LINE.to_bytes(4, sys.byteorder))]
)[0]
_BLANK = string_column([" "])[0]
_REMEDY = "Write a column id and a column text, as JSON lines have them."


def columns_of(schema: pa.Schema, path: str | Path | None) -> list[str]:
    """The names of the columns of docnos and of texts, and of titles where there are some."""
    columns = []
    for names in (ID_FIELDS, TEXT_FIELDS):
        there = [name for name in names if name in schema.names]
        if not there:
            raise InputError(
                f"no column {' or '.join(names)}, of {', '.join(schema.names)}.",
                path=path,
                remedy=_REMEDY,
            )
        columns.append(there[0])
    title = ["title"] if "title" in schema.names else []
    for name in (*columns, *title):
        kind = schema.field(name).type
        is_id = name == columns[0] and pa.types.is_integer(kind)
        if not is_id and not _is_text(kind):
            raise InputError(f"the column {name} holds {kind}, not texts.", path=path)
    return columns + title


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


def _strings(column: pa.Array, name: str, path: str | Path | None, row: int) -> pa.StringArray:
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


def _check_docnos(docnos: pa.StringArray, path: str | Path | None, row: int) -> None:
    bad = pc.match_substring_regex(docnos, f"^$|{BLANKS}").index(_YES).as_py()
    if bad >= 0:
        check_docno(docnos[bad].as_py(), path, row + bad + 1)


def _with_titles(titles: pa.Array, texts: pa.StringArray) -> pa.StringArray:
    titles = titles.cast(pa.string())
    has_title = pc.fill_null(pc.not_equal(pc.binary_length(titles), _NO_LENGTH), _NO)
    titled = pc.binary_join_element_wise(titles, texts, _BLANK)
    return pc.if_else(has_title, titled, texts)


def docnos_of(
    batch: pa.RecordBatch, name: str, path: str | Path | None, row: int
) -> pa.StringArray:
    """The docnos of a batch that begins behind `row` others."""
    docnos = _strings(batch.column(name), name, path, row)
    _check_docnos(docnos, path, row)
    return docnos


def texts_of(
    batch: pa.RecordBatch, names: list[str], path: str | Path | None, row: int
) -> pa.StringArray:
    """The texts of a batch, in the first column, with the titles of the second, if any."""
    texts = _strings(batch.column(names[0]), names[0], path, row)
    for name in names[1:]:
        texts = _with_titles(batch.column(name), texts)
    return texts
