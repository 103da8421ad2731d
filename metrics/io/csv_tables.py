"""Tables in CSV whose first line names their columns."""

import csv
from collections.abc import Iterable, Iterator
from pathlib import Path

from ..errors import InputError
from .lines import text_lines


def named_rows(
    path: str | Path, columns: Iterable[str], remedy: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """The last line of each record, and its cells by the names in the first line.

    Raises `InputError`, with `remedy`, where one of `columns` is missing and for a record with
    another number of cells; for what is no CSV; and as `text_lines` does.
    """
    reader = csv.DictReader((line for _, line in text_lines(path)), strict=True)
    begins = 1
    try:
        if missing := [name for name in columns if name not in (reader.fieldnames or ())]:
            raise InputError(f"lacks {', '.join(missing)}.", path=path, line=1, remedy=remedy)
        begins = reader.line_num + 1
        for row in reader:
            if None in row or None in row.values():
                raise InputError(
                    "has not a cell for each column.",
                    path=path,
                    line=reader.line_num,
                    remedy=remedy,
                )
            begins = reader.line_num + 1
            yield reader.line_num, row
    except csv.Error as error:
        raise InputError(f"is no CSV here ({error}).", path=path, line=begins) from None
