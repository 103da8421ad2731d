r"""CSV that gives every text back, also one with a lone carriage return.

Lines end in `\n`; Python's writer then leaves a cell with `\r` unquoted, and its reader ends the
record there.
"""

import csv
import io
from collections.abc import Iterable, Sequence


def csv_text(rows: Iterable[Sequence[object]]) -> str:
    """The rows as CSV, quoted where it is needed."""
    out = io.StringIO()
    plain = csv.writer(out, lineterminator="\n")
    quoted = csv.writer(out, lineterminator="\n", quoting=csv.QUOTE_ALL)
    for row in rows:
        returns = any(isinstance(cell, str) and "\r" in cell for cell in row)
        (quoted if returns else plain).writerow(row)
    return out.getvalue()
