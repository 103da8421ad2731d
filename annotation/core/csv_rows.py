r"""CSV that preserves every text, also one with a lone carriage return.

Lines end in `\n`; Python's writer then leaves a cell with `\r` unquoted, and its reader ends the
record there.
"""

import csv
from collections.abc import Iterable, Iterator, Sequence


class Echo:
    """A file for `csv.writer`, whose `writerow` then returns the line."""

    def write(self, line: str) -> str:
        return line


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV, quoted where it is needed."""
    return "".join(csv_lines(rows))


def csv_lines(rows: Iterable[Sequence[object]]) -> Iterator[str]:
    """Yield the rows as lines of CSV, one at a time, each with its line end."""
    plain = csv.writer(Echo(), lineterminator="\n")
    quoted = csv.writer(Echo(), lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        returns = any(isinstance(cell, str) and "\r" in cell for cell in row)
        yield (quoted if returns else plain).writerow(row)
