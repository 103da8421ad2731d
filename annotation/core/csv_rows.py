r"""CSV that preserves every text, also one with a lone carriage return.

Lines end in `\n`; Python's writer then leaves a cell with `\r` unquoted, and its reader ends the
record there.
"""

import csv
import io
import re
from collections.abc import Iterable, Iterator, Sequence

#: Where a spreadsheet would begin to read a formula: at the start of a cell, and behind what some
#: take for the end of a cell whatever the quotes say: a semicolon, a tab, a line end. Before it may
#: stand spaces, quotes and what nobody sees.
_FORMULA = re.compile(
    r"(^|[;\t\r\n])(?=[\s\"\u200b-\u200f\u2060\ufeff]*[=+\-@\uff0b\uff0d\uff1d\uff20]|[\t\r])"
)
_NUMBER = re.compile(r"[-+]?(\d+\.?\d*|\.\d+)([eE][-+]?\d+)?|-?inf|nan")


class FreeCell(str):
    """A cell that an annotator or a member wrote, in their own words; no id, query or label."""

    __slots__ = ()


class Echo:
    """A file for `csv.writer`, whose `writerow` then returns the line."""

    def write(self, line: str) -> str:
        return line


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV, quoted where it is needed."""
    return "".join(csv_lines(rows))


def csv_lines(rows: Iterable[Sequence[object]], *, is_safe: bool = False) -> Iterator[str]:
    """Yield the rows as lines of CSV, one at a time, each with its line end.

    With `is_safe`, no cell of `FreeCell` is a formula to a spreadsheet. Pages write so, unless they
    are asked for raw texts; API and commands do not.
    """
    plain = csv.writer(Echo(), lineterminator="\n")
    quoted = csv.writer(Echo(), lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        cells = [
            safe_text(cell) if is_safe and isinstance(cell, FreeCell) else cell for cell in row
        ]
        returns = any(isinstance(cell, str) and "\r" in cell for cell in cells)
        yield (quoted if returns else plain).writerow(cells)


def safe_text(text: str) -> str:
    r"""`text` with an apostrophe before each place where a spreadsheet would begin a formula.

    >>> safe_text('=HYPERLINK("https://example.org")'), safe_text("a;=1"), safe_text("a-b")
    ('\'=HYPERLINK("https://example.org")', "a;'=1", 'a-b')
    """
    return _FORMULA.sub(r"\1'", text)


def safe_table(text: str) -> str:
    """A CSV of names and numbers, as a report has them, with names that are not formulas."""
    rows = csv.reader(io.StringIO(text, newline=""))
    return csv_text(
        [cell if _NUMBER.fullmatch(cell) else safe_text(cell) for cell in row] for row in rows
    )
