"""Tables in Parquet as cells of text, of which no more are read than of a table of text."""

import contextlib
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

from ..errors import InputError
from ..extras import need
from ..vocabulary import LARGEST_TABLE
from .files import open_bytes

_MARK = b"PAR1"
_ROWS = 2048
#: A column of a run has one text in each row of a query; beyond this the file is a bomb.
_MOST_TIMES = 200


def is_parquet(path: str | Path) -> bool:
    """Return whether the file is Parquet, by its beginning."""
    if str(path) == "-":
        return False
    with open_bytes(path) as stream:
        return stream.peek(len(_MARK))[: len(_MARK)] == _MARK


def cell_text(value: Any) -> str:
    """A value as a cell of a table: nothing for one that is missing."""
    if value is None or value != value:  # noqa: PLR0124 (a number that is none)
        return ""
    if isinstance(value, bool):
        return "true" if value else "false"
    return value.decode() if isinstance(value, bytes) else str(value)


def parquet_table(
    path: str | Path,
    largest: int | None = LARGEST_TABLE,
    *,
    choose: Callable[[Sequence[str]], Sequence[str]] = list,
    text: Callable[[Any], str] = cell_text,
) -> tuple[list[str], Iterator[list[str]]]:
    """The names of the columns, "" for the index of a data frame, and the cells of each row.

    `choose` says which of the columns are read, and `text` writes a value, or raises `InputError`.
    A text that the file repeats is held once, but counted as often as it comes. Raises `InputError`
    for a file that is damaged, that holds lists or objects, or more than `largest` characters
    (None: out of proportion to its bytes), and where the package that reads Parquet is missing.
    """
    arrow, parquet = need("pyarrow"), need("pyarrow.parquet")
    with open_bytes(path) as stream:
        content = stream.read() if largest is None else stream.read(largest + 1)
    if largest is None:
        largest = max(LARGEST_TABLE, _MOST_TIMES * len(content))
    if len(content) > largest:
        raise _too_large(path, largest)
    with _plain_errors(path, arrow):
        schema = parquet.read_schema(arrow.BufferReader(content))
        chosen = list(choose(schema.names))
        read = [schema.field(name) for name in chosen]
        if nested := [field.name for field in read if arrow.types.is_nested(field.type)]:
            raise InputError(
                f"the column {nested[0]!r} holds lists or objects, not cells.",
                path=path,
                remedy="Write the table as JSON lines: to_json(path, orient='records', lines=True) "
                "of a data frame.",
            )
        file = parquet.ParquetFile(arrow.BufferReader(content), read_dictionary=chosen)
        groups = map(file.metadata.row_group, range(file.num_row_groups))
        # Of all columns: that of one ends the process where a damaged file lacks it.
        n_bytes = sum(group.total_byte_size for group in groups)
        n_cells = file.metadata.num_rows * len(chosen)
    if max(n_bytes, n_cells) > largest:
        raise _too_large(path, largest)
    names = ["" if name.startswith("__index_level_") else name for name in chosen]
    return names, _rows(_batches(file, chosen), arrow, text, path, largest)


def _batches(file: Any, chosen: list[str]) -> Iterator[list[Any]]:
    for batch in file.iter_batches(_ROWS, columns=chosen, use_threads=False):
        yield [batch.column(batch.schema.get_field_index(name)) for name in chosen]


def _rows(
    batches: Iterator[list[Any]],
    arrow: Any,
    text: Callable[[Any], str],
    path: str | Path,
    largest: int,
) -> Iterator[list[str]]:
    left, row = largest, 0
    with _plain_errors(path, arrow):
        for batch in batches:
            columns = [_cells(column, arrow, text, (path, row)) for column in batch]
            row += len(batch[0])
            left -= sum(len(cell) + 1 for column in columns for cell in column)
            if left < 0:
                raise _too_large(path, largest)
            if any("\0" in cell for column in columns for cell in set(column)):
                raise InputError("holds a NUL character.", path=path)
            yield from map(list, zip(*columns, strict=True))


def _cells(
    column: Any, arrow: Any, text: Callable[[Any], str], place: tuple[str | Path, int]
) -> list[str]:
    try:
        if not arrow.types.is_dictionary(column.type):
            return _texts(column, arrow, text)
        used = column.indices.drop_null().unique()
        known = _texts(column.dictionary.take(used), arrow, text)
        texts: dict[int | None, str] = dict(zip(used.to_pylist(), known, strict=True))
        if column.null_count:
            texts[None] = text(None)
        return [texts[at] for at in column.indices.to_pylist()]
    except InputError as error:
        path, before = place
        line = before + _first_wrong(column.to_pylist(), text)
        raise InputError(error.message, path=path, line=line, remedy=error.remedy) from None


def _first_wrong(values: list[Any], text: Callable[[Any], str]) -> int:
    """The place, from 1, of the first value that `text` does not write."""
    for number, value in enumerate(values, start=1):
        try:
            text(value)
        except InputError:
            return number
    return len(values)


def _texts(column: Any, arrow: Any, text: Callable[[Any], str]) -> list[str]:
    if arrow.types.is_temporal(column.type):
        column = column.cast(arrow.string())
    return [text(value) for value in column.to_pylist()]


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
        raise InputError(
            "is not UTF-8.", path=path, remedy="Write its texts again in UTF-8."
        ) from None
    except arrow.ArrowMemoryError:  # an Arrow exception, too
        raise
    except (arrow.ArrowException, OSError) as error:
        raise InputError(f"is damaged, or is not a Parquet file ({error}).", path=path) from error
