"""CSV tables with any line ends, byte-order mark and quotes, and Parquet; errors have the line."""

import csv
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO

from ...errors import InputError, did_you_mean
from ...io.csv_tables import separator_said
from ...io.lines import MAX_LINE, numbered_lines, open_text
from ...io.parquet_tables import parquet_table

_LONGEST_CELL = 10_000_000
#: The worker of a model's row where the export does not name the model.
UNNAMED_MODEL = "prediction"


@dataclass(frozen=True)
class Row:
    """The cells of one record by column name, and the line on which it begins.

    `record` is its number from 1 where a line may hold several, as in JSON. `model` marks the
    answer of a program, with its own `score`. `apart` is the reason, given by the program, why the
    answer does not count.
    """

    line: int
    cells: dict[str, str]
    record: int = 0
    model: bool = False
    score: str = ""
    apart: str = ""


@dataclass(frozen=True)
class Table:
    """Rows with their columns; `usual` says which column has which role, as far as it is known.

    `notes` say in words which parts of the file are not rows, and how it was read. `parts` are
    columns of which another one is composed. Of a table with a column per person, `people` are
    those that were read as people, and `others` those that might be. `problem` is what a person has
    to decide before the answers can be read. `mark` parts the cells.
    """

    path: str
    columns: tuple[str, ...]
    rows: list[Row]
    usual: Mapping[str, str] = field(default_factory=dict)
    notes: tuple[str, ...] = ()
    parts: frozenset[str] = frozenset()
    people: tuple[str, ...] = ()
    others: tuple[str, ...] = ()
    problem: InputError | None = None
    mark: str = ","

    def with_point(self, cell: str) -> str:
        """A number with a point for its decimal comma, where semicolons part the cells."""
        return cell.replace(",", ".") if self.mark == ";" and cell.count(",") == 1 else cell

    def need(self, *columns: str) -> None:
        """Raise `InputError` unless all of `columns` are there."""
        missing = [name for name in columns if name not in self.columns]
        if missing:
            raise InputError(
                f"has no column {missing[0]!r}; it has {_listed(self.columns)}.",
                path=self.path,
                line=1,
                remedy="Name one of its columns." + did_you_mean(missing[0], self.columns),
            )


def _listed(names: tuple[str, ...], most: int = 12) -> str:
    return ", ".join(names[:most]) + (", ..." if len(names) > most else "")


def read_table(
    path: str | Path, *, may_end_early: frozenset[str] = frozenset(), delimiter: str = ","
) -> Table:
    """Read a CSV with a header, however it is packed and encoded, or `-`.

    A row with too many or too few cells is an error, except that the columns `may_end_early` may
    be missing at the end of a row (Mechanical Turk names columns there that it leaves out).
    """
    csv.field_size_limit(_LONGEST_CELL)
    records = _records(path, delimiter)
    _, header = next(records, (1, []))
    if separator_said(delimiter.join(header)):
        _, header = next(records, (1, []))
    if not header:
        raise InputError("is empty.", path=path, remedy="The first line names the columns.")
    columns = _columns_of(header, path)
    rows = []
    for line, cells in records:
        missing = columns[len(cells) :]
        if len(cells) > len(columns) or not may_end_early.issuperset(missing):
            raise InputError(
                f"expected {len(columns)} columns, found {len(cells)}.",
                path=path,
                line=line,
                remedy="Put a cell that holds a comma or a quote in double quotes.",
            )
        rows.append(Row(line, dict(zip(columns, cells, strict=False))))
    if not rows:
        raise InputError("has a header and nothing below it.", path=path)
    return Table(str(path), columns, rows, mark=delimiter)


def read_parquet(path: str | Path) -> Table:
    """Read a table in Parquet; its rows are numbered from 1, in the place of lines, too."""
    header, records = parquet_table(path)
    columns = _columns_of(header, path)
    rows = [
        Row(number, dict(zip(columns, cells, strict=True)), number)
        for number, cells in enumerate(records, start=1)
    ]
    if not rows:
        raise InputError("has columns and no row.", path=path)
    return Table(str(path), columns, rows)


def _columns_of(header: Sequence[str], path: str | Path) -> tuple[str, ...]:
    # A data frame writes its index without a name.
    columns = tuple(name.strip() or f"column {at}" for at, name in enumerate(header, 1))
    if len(set(columns)) != len(columns):
        twice = next(name for name in columns if columns.count(name) > 1)
        raise InputError(f"names the column {twice!r} twice.", path=path, line=1)
    return columns


def _records(path: str | Path, delimiter: str) -> Iterator[tuple[int, list[str]]]:
    """Records that are not empty, each with the number of its first line."""
    with open_text(path) as stream:
        reader = csv.reader(_lines(stream, path), strict=True, delimiter=delimiter)
        while True:
            start = reader.line_num + 1
            try:
                record = next(reader)
            except StopIteration:
                return
            except csv.Error as error:
                raise InputError(f"is not CSV here ({error}).", path=path, line=start) from None
            if record:
                yield start, record


def _lines(stream: BinaryIO, path: str | Path) -> Iterator[str]:
    for number, raw in numbered_lines(stream, path, MAX_LINE):
        try:
            line = raw.decode()
        except UnicodeDecodeError:
            raise InputError(
                "is not UTF-8.", path=path, line=number, remedy="Save the file as UTF-8."
            ) from None
        if "\0" in line:
            raise InputError("holds a NUL character.", path=path, line=number)
        yield line
