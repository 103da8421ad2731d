"""Cells that a spreadsheet shows as they are."""

import re

from annotation.core.csv_rows import safe_text
from annotation.labels.export.labels import FormatOption

SPREADSHEET = FormatOption(
    "spreadsheet",
    "For Excel and the like",
    "For programs that guess what a cell is: a byte order mark, and every cell text.",
)
BYTE_ORDER_MARK = "\ufeff"
#: A spreadsheet reads a cell like this as a number, a date or a truth value: short, with a digit,
#: without a quote.
_GUESSED = re.compile(r'(?=[^\d"]*\d)[^"]{1,40}|true|false', re.IGNORECASE)


def as_text(cell: str) -> str:
    """Put an apostrophe before a formula; write a cell as `="…"` if it would be interpreted."""
    safe = safe_text(cell)
    return f'="{cell}"' if safe == cell and _GUESSED.fullmatch(cell) else safe
