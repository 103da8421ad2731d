"""Tables for print: grouped columns, changes with arrows, blocks of rows."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby, takewhile
from math import isnan
from typing import Literal

from ...statistics.inference import MARKS, mark_of
from ..sides import GENDERS, Sides
from .tables import FEWER_DIGITS, markdown_text, to_csv, to_json

Value = str | int | float | None

UP, DOWN, SAME = "↑", "↓", "="
UNDEFINED = "–"
PLUS_MINUS = "±"

#: What a column with `change` holds: the change itself, its percentage of what it is a change
#: from, the p-value of the difference or of equivalence, or the standard deviation over seeds.
Kind = Literal["difference", "percent", "p", "equivalence", "deviation"]
MARKS_NOTE = "Marks: * p < 0.05, ** p < 0.01, *** p < 0.001"
#: Behind a difference whose equivalence within the margin is shown.
EQUIVALENT = "≈"

_FOLDED = 60


@dataclass(frozen=True)
class Column:
    """A column: `name` in files for programs, `title` (under `group`) in those for people.

    A column with `change` has no place of its own in print: its value stands behind the value of
    the column before it, with an arrow in parentheses, or as a mark where it is a p-value. Without
    it, `kind` says only whether the column holds p-values.
    """

    name: str
    title: str
    group: str = ""
    digits: int = FEWER_DIGITS
    change: bool = False
    kind: Kind = "difference"


@dataclass(frozen=True)
class Table:
    """Rows of a table; `name` is the stem of its files, `notes` are sentences below it.

    Where the value of the column `block` changes, there is a rule, and equal values are printed
    once. `detail`: the page shows it behind the figures. `record` are values that hold for every
    row that has no other; they become columns of the CSV file. `in_print` is what LaTeX prints in
    its place, `runs` are the runs that its columns are named after, and `sides` says what RaB
    compares.
    """

    name: str
    title: str
    columns: Sequence[Column]
    rows: Sequence[Mapping[str, Value]]
    notes: Sequence[str] = ()
    block: str = ""
    detail: bool = False
    record: Mapping[str, Value] | None = None
    in_print: "Table | None" = None
    runs: Sequence[str] = ()
    sides: Sides = GENDERS

    @property
    def printed(self) -> list[Column]:
        """The columns that have a place of their own in print."""
        return [column for column in self.columns if not column.change]

    @property
    def head(self) -> list[tuple[str, int]]:
        """The groups of the printed columns, each with the number of its columns."""
        return [(name, len(list(same))) for name, same in groupby(c.group for c in self.printed)]

    @property
    def is_long(self) -> bool:
        """Return whether a page shows it folded."""
        return len(self.rows) > _FOLDED

    @property
    def has_groups(self) -> bool:
        return any(column.group for column in self.columns)

    @property
    def titles(self) -> list[tuple[str, bool]]:
        """The titles of the printed columns, and which of them hold numbers."""
        return [(column.title, self.is_number(column)) for column in self.printed]

    @property
    def body(self) -> list[list[str]]:
        """The printed cells."""
        return [cells for _, cells in self.lines()]

    @property
    def blocks(self) -> list[list[list[tuple[str, bool]]]]:
        """Return the printed cells in blocks of rows, each with whether it is right-aligned."""
        numbers = [number for _, number in self.titles]
        blocks: list[list[list[tuple[str, bool]]]] = [[]]
        for starts, cells in self.lines():
            if starts:
                blocks.append([])
            blocks[-1].append(list(zip(cells, numbers, strict=True)))
        return blocks

    def is_number(self, column: Column) -> bool:
        """Return whether a column is right-aligned: one of numbers, or one without any value."""
        types = {type(row[column.name]) for row in self.rows}
        return types == {type(None)} or any(issubclass(kind, int | float) for kind in types)

    def lines(self) -> Iterator[tuple[bool, list[str]]]:
        """Each row as printed cells, and whether it starts a new block (not so for the first)."""
        last: Value = None
        for number, row in enumerate(self.rows):
            starts = bool(self.block) and (number == 0 or row[self.block] != last)
            cells = [
                "" if column.name == self.block and not starts else self._cell(row, column)
                for column in self.printed
            ]
            yield starts and number > 0, cells
            last = row[self.block] if self.block else None

    def _cell(self, row: Mapping[str, Value], column: Column) -> str:
        text = (p_text if column.kind == "p" else number_text)(row[column.name], column.digits)
        known = {c.kind: c for c in self._changes_of(column) if row[c.name] is not None}
        mark = _mark(row[known["p"].name]) if "p" in known else ""
        if "equivalence" in known and _mark(row[known["equivalence"].name]):
            mark += EQUIVALENT
        if "deviation" in known:
            text += f" {PLUS_MINUS} {number_text(row[known['deviation'].name], column.digits)}"
        if "difference" not in known:
            return f"{text}{mark}"
        parts = [_arrow(row[known["difference"].name], known["difference"].digits)]
        if "percent" in known:
            parts.append(f"{number_text(row[known['percent'].name], 0).removeprefix('-')}%")
        return f"{text} ({', '.join(parts)}){mark}"

    def _changes_of(self, column: Column) -> Iterator[Column]:
        place = list(self.columns).index(column) + 1
        return takewhile(lambda follows: follows.change, self.columns[place:])


def counted_queries(n: int, noun: str = "queries") -> str:
    """The number with its noun: "1 query", "1,765 queries", or another noun that somebody gave."""
    return f"{n:,} {'query' if n == 1 and noun == 'queries' else noun}"


def number_text(value: Value, digits: int) -> str:
    """A value as people read it: rounded, an undefined one as a dash, never "-0.000"."""
    if value is None:
        return UNDEFINED
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else value
    text = f"{value:.{digits}f}"
    return text.removeprefix("-") if float(text) == 0 else text


def p_text(value: Value, digits: int) -> str:
    """Format a p-value; one below 0.001 as `< 0.001`."""
    small = isinstance(value, float) and value < MARKS[0][0]
    return f"< {MARKS[0][0]}" if small else number_text(value, digits)


def _arrow(change: Value, digits: int) -> str:
    text = number_text(change, digits)
    size = text.removeprefix("-")
    if float(size) == 0:
        return f"{SAME}{size}"
    return f"{DOWN if text.startswith('-') else UP}{size}"


def _mark(p: Value) -> str:
    """Asterisks for a small p."""
    return mark_of(p) if isinstance(p, float) else ""


def json_of(table: Table) -> str:
    """Title, columns, rows in full precision, notes and what holds for the whole table."""
    rows = [
        {column.name: _defined(row[column.name]) for column in table.columns} for row in table.rows
    ]
    return to_json(
        {
            "name": table.name,
            "title": table.title,
            "columns": [
                {"name": column.name, "title": column.title, "group": column.group}
                for column in table.columns
            ],
            "rows": rows,
            "notes": list(table.notes),
            "record": dict(table.record or {}),
        }
    )


def _defined(value: Value) -> Value:
    return None if isinstance(value, float) and isnan(value) else value


def csv_of(table: Table) -> str:
    """Full precision, one line per row, what holds for the whole table in its last columns."""
    record = table.record or {}
    rows = [{**record, **row} for row in table.rows]
    return to_csv(rows, [*(column.name for column in table.columns), *record])


def markdown_of(table: Table) -> str:
    """A table of GitHub's Markdown under its title, with the notes below."""
    titles = [f"{c.group} {c.title}".strip() for c in table.printed]
    lines = [
        [markdown_text(title) for title in titles],
        ["---:" if table.is_number(column) else "---" for column in table.printed],
        *([markdown_text(cell) for cell in cells] for cells in table.body),
    ]
    notes = "".join(f"\n{markdown_text(note)}\n" for note in table.notes)
    body = "".join(f"| {' | '.join(cells)} |\n" for cells in lines)
    return f"**{markdown_text(table.title)}**\n\n{body}{notes}"
