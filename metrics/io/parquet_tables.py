"""Tables in Parquet as cells of text, of which no more are read than of a table of text."""

import contextlib
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..extras import need
from ..vocabulary import LARGEST_TABLE
from .files import open_bytes

_ROWS = 2048


def parquet_table(
    path: str | Path, largest: int = LARGEST_TABLE
) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, "" for the index of a data frame, and the cells of each row.

    What is missing is "", true and false are written so. A text that the file repeats is held once,
    but counted as often as it comes. Raises `InputError` for a file that is damaged, that holds
    lists or objects, or more than `largest` characters, and where the package that reads Parquet is
    missing.
    """
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    with open_bytes(path) as stream:
        content = stream.read(largest + 1)
    with _plain_errors(path, arrow):
        schema = parquet.read_schema(arrow.BufferReader(content))
        if nested := [field.name for field in schema if arrow.types.is_nested(field.type)]:
            raise InputError(
                f"the column {nested[0]!r} holds lists or objects, not cells.",
                path=path,
                remedy="Write the table as JSON lines: to_json(path, orient='records', lines=True) "
                "of a data frame.",
            )
        file = parquet.ParquetFile(arrow.BufferReader(content), read_dictionary=schema.names)
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        n_bytes = sum(group.total_byte_size for group in groups)
        n_cells = file.metadata.num_rows * len(schema.names)
    if max(len(content), n_bytes, n_cells) > largest:
        raise _too_large(path, largest)
    names = ["" if name.startswith("__index_level_") else name for name in schema.names]
    return names, _rows(file, arrow, path, largest)


def _rows(file: Any, arrow: Any, path: str | Path, largest: int) -> Iterator[list[str]]:
    left = largest
    with _plain_errors(path, arrow):
        for batch in file.iter_batches(_ROWS, use_threads=False):
            columns = [_cells(column, arrow) for column in batch.columns]
            left -= sum(len(cell) + 1 for column in columns for cell in column)
            if left < 0:
                raise _too_large(path, largest)
            if any("\0" in cell for column in columns for cell in set(column)):
                raise InputError("holds a NUL character.", path=path)
            yield from map(list, zip(*columns, strict=True))


def _cells(column: Any, arrow: Any) -> list[str]:
    if not arrow.types.is_dictionary(column.type):
        return _texts(column, arrow)
    used = column.indices.drop_null().unique()
    text_at = dict(zip(used.to_pylist(), _texts(column.dictionary.take(used), arrow), strict=True))
    return [text_at.get(place, "") for place in column.indices.to_pylist()]


def _texts(column: Any, arrow: Any) -> list[str]:
    if arrow.types.is_temporal(column.type):
        column = column.cast(arrow.string())
    return [_text(value) for value in column.to_pylist()]


def _text(value: Any) -> str:
    if value is None or value != value:  # noqa: PLR0124 (a number that is none)
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.decode() if isinstance(value, bytes) else str(value)


def _too_large(path: str | Path, largest: int) -> InputError:
    return InputError(
        f"holds more than {largest // 1_000_000:,} MB when it is read.",
        path=path,
        remedy="Is this the right file? Give it in several parts.",
    )


@contextlib.contextmanager
def _plain_errors(path: str | Path, arrow: Any) -> Iterator[None]:
    try:
        yield
    except UnicodeDecodeError:
        raise InputError("is not UTF-8.", path=path, remedy="Write its texts anew.") from None
    except arrow.ArrowMemoryError:  # an Arrow exception, too
        raise
    except (arrow.ArrowException, OSError) as error:
        raise InputError(f"is damaged or no Parquet file ({error}).", path=path) from error
