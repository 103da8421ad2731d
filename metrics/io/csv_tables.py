"""Tables as programs and spreadsheets write them: cells separated by commas, tabs or semicolons."""

import csv
import re
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path

from ..errors import InputError
from . import headers
from .lines import text_lines

Lines = Sequence[tuple[int, str]]
#: Spreadsheets write such a first line, and read it.
_SEPARATOR_LINE = re.compile(r"\"?sep=([,;\t])\"?", re.IGNORECASE)


def parted(lines: Lines) -> tuple[Lines, str | None]:
    """The lines from the first with content, and what parts their cells; None for one column.

    A first line `sep=;` says so itself, and is left out. Else the first line shows it.
    """
    filled = (place for place, (_, line) in enumerate(lines) if line.strip(" \t\r\n"))
    rows = lines[next(filled, len(lines)) :]
    as_said = separator_said(rows[0][1]) if rows else None
    if as_said:
        return parted(rows[1:])[0], as_said
    return rows, headers.separator_of(rows[0][1]) if rows else None


def separator_said(line: str) -> str | None:
    """The separator that a first line `sep=;` says; None for any other line.

    >>> separator_said("sep=;"), separator_said("qid;label")
    (';', None)
    """
    matched = _SEPARATOR_LINE.fullmatch(line.strip("\r\n "))
    return matched[1] if matched else None


def records(
    lines: Iterable[tuple[int, str]], mark: str, path: str | Path | None, remedy: str = ""
) -> Iterator[tuple[int, int, list[str]]]:
    """The first and the last line of each record, and its cells; quoted ones may have line ends.

    Raises `InputError` for what is no such table.
    """
    begins, ends = 0, 0

    def texts() -> Iterator[str]:
        nonlocal begins, ends
        for ends, line in lines:
            begins = begins or ends
            yield line

    try:
        for cells in csv.reader(texts(), delimiter=mark, strict=True):
            if any(cell.strip() for cell in cells):
                yield begins, ends, cells
            begins = 0
    except csv.Error as error:
        problem = f"is not CSV here ({error})."
        raise InputError(problem, path=path, line=ends, remedy=remedy) from None


def unquoted(cell: str, mark: str, *, always: bool = False) -> str:
    r"""A cell without the quotes that a program needed for it, where lines are parted elsewhere.

    It needs them for a quote or a mark inside, and some put them around `always`.

    >>> unquoted('"who said ""hi"" first"', "\t"), unquoted('"to be or not"', "\t")
    ('who said "hi" first', '"to be or not"')
    """
    inside = cell[1:-1]
    if len(cell) < len('""') or not (cell[0] == cell[-1] == '"') or '"' in inside.replace('""', ""):
        return cell
    is_needed = always or '""' in inside or mark in inside
    return inside.replace('""', '"') if is_needed else cell


def rows_of(path: str | Path, remedy: str = "") -> Iterator[tuple[int, list[str]]]:
    """The last line of each record of a file, and its cells without blanks around them.

    Raises `InputError` for what is not CSV, and as `text_lines` does.
    """
    lines, mark = parted(list(text_lines(path)))
    for _, number, cells in records(lines, mark or ",", path, remedy):
        yield number, [cell.strip() for cell in cells]


def named_rows(
    path: str | Path, columns: Iterable[str], remedy: str
) -> Iterator[tuple[int, dict[str, str]]]:
    """The last line of each record, and its cells by the names in the first line.

    Raises `InputError`, with `remedy`, where one of `columns` is missing or a name comes twice, for
    a record with another number of cells, for what is not CSV, and as `text_lines` does.
    """
    lines, mark = parted(list(text_lines(path)))
    rows = records(lines, mark or ",", path)
    _, _, names = next(rows, (1, 1, []))
    if missing := [name for name in columns if name not in names]:
        raise InputError(f"lacks {', '.join(missing)}.", path=path, line=1, remedy=remedy)
    if twice := [name for name in names if name and names.count(name) > 1]:
        raise InputError(f"names the column {twice[0]!r} twice.", path=path, line=1, remedy=remedy)
    for _, number, cells in rows:
        if len(cells) != len(names):
            raise InputError(
                "does not have a cell for each column.", path=path, line=number, remedy=remedy
            )
        yield number, dict(zip(names, cells, strict=True))
