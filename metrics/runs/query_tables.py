"""Query files that name their columns: tables with a header, and JSON."""

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError
from ..io import headers

Layout = Literal["ids", "texts", "labels"]
#: Line, id, text and label.
Row = tuple[int, str, str, str]
_Lines = list[tuple[int, str]]

#: The first line of labels as this package writes them.
HEADER = "qid,query,label"
LAYOUTS = "A query file has one id per line, or qid<TAB>text, or qid,text,label."
_QIDS = (*headers.QIDS, "_id", "id")


def table_of_queries(rows: _Lines, path: str | Path | None) -> tuple[Layout, Iterator[Row]] | None:
    """The queries of a table whose first line names its columns; None where it names none.

    Columns of texts and labels are recognised by name; all others are ignored. Cells between commas
    may be quoted; those between tabs are taken as they are.
    """
    begin = next(place for place, (_, line) in enumerate(rows) if line.strip())
    line, rest = rows[begin][1].strip("\r\n"), rows[begin + 1 :]
    mark = headers.separator_of(line) or "\t"
    header = line.split(mark)
    if len(header) == 1:
        is_header = headers.normal(line) in headers.QIDS
        ids = ((number, cells[0], "", "") for number, cells in _cells(rest, mark, path))
        return ("ids", ids) if is_header else None
    places = headers.places_of(header, _QIDS, headers.QUERIES)
    label = headers.place_of(header, headers.LABELS)
    if places is None:
        if headers.normal(header[0]) not in headers.QIDS:
            return None
        raise InputError(
            f"names the columns {', '.join(header)[:80]}, none of which is the text of a query.",
            path=path,
            line=rows[begin][0],
            remedy="Name them qid, query and, if there is one, label.",
        )
    parts = _parts(_cells(rest, mark, path), (*places, label), len(header), path)
    return ("texts" if label is None else "labels"), parts


def _parts(
    rows: Iterator[tuple[int, list[str]]],
    places: tuple[int | None, ...],
    n_columns: int,
    path: str | Path | None,
) -> Iterator[Row]:
    for number, cells in rows:
        if len(cells) != n_columns:
            raise other_layout(path, number)
        qid, text, label = ("" if place is None else cells[place] for place in places)
        yield number, qid.strip(" "), text, label.strip(" ")


def _cells(rows: _Lines, mark: str, path: str | Path | None) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record; a text quoted between commas may go over several lines."""
    if mark == "\t":
        for number, line in rows:
            if line.strip(" \t\r\n"):
                yield number, line.rstrip("\r\n").split(mark)
        return
    reader = csv.reader((line for _, line in rows), strict=True)
    begins = number = rows[0][0] if rows else 1
    try:
        for cells in reader:
            begins, number = number, rows[0][0] + reader.line_num
            if any(cell.strip() for cell in cells):
                yield begins, cells
    except csv.Error as error:
        raise InputError(f"is no CSV: {error}.", path=path, line=number, remedy=LAYOUTS) from None


def json_queries(rows: _Lines, path: str | Path | None) -> tuple[Layout, Iterator[Row]]:
    """Queries in JSON: an object with id and text per line, a list of them, or `{qid: text}`."""
    parts = [(number, *_of_record(record, path, number)) for number, record in _records(rows, path)]
    has_labels = bool(parts) and all(label for *_, label in parts)
    return ("labels" if has_labels else "texts"), iter(parts)


def _records(rows: _Lines, path: str | Path | None) -> Iterator[tuple[int, dict[str, Any]]]:
    lines = [(number, line) for number, line in rows if line.strip()]
    if len(lines) > 1 and _is_object(lines[0][1]):
        for number, line in lines:
            yield number, _object(_json(line, path, number), path, number)
        return
    number = lines[0][0]
    known = _json("".join(line for _, line in rows), path, number)
    if isinstance(known, dict) and not headers.places_of(list(known), _QIDS, headers.QUERIES):
        known = [{"qid": qid, "query": text} for qid, text in known.items()]
    for record in known if isinstance(known, list) else [known]:
        yield number, _object(record, path, number)


def _is_object(line: str) -> bool:
    try:
        return isinstance(json.loads(line), dict)
    except (ValueError, RecursionError):
        return False


def _json(text: str, path: str | Path | None, number: int) -> Any:
    try:
        return json.loads(text)
    except (ValueError, RecursionError) as error:
        raise InputError(
            f"is no JSON ({str(error)[:80]}).", path=path, line=number, remedy=LAYOUTS
        ) from None


def _object(record: Any, path: str | Path | None, number: int) -> dict[str, Any]:
    if not isinstance(record, dict):
        raise other_layout(path, number)
    return record


def _of_record(
    record: dict[str, Any], path: str | Path | None, number: int
) -> tuple[str, str, str]:
    names = list(record)
    places = headers.places_of(names, _QIDS, headers.QUERIES)
    if places is None:
        raise InputError(
            f"has no id and text: {', '.join(names)[:80]}.",
            path=path,
            line=number,
            remedy='Write one object per line: {"_id": "7", "text": "..."}.',
        )
    qid, text = (record[names[place]] for place in places)
    label = headers.place_of(names, headers.LABELS)
    marked = record[names[label]] if label is not None else ""
    if isinstance(qid, int | float) and not isinstance(qid, bool):
        qid = str(qid)
    if not isinstance(qid, str) or not isinstance(text, str):
        raise InputError("the id or the text is no text.", path=path, line=number, remedy=LAYOUTS)
    return qid, text, marked if isinstance(marked, str) else ""


def other_layout(path: str | Path | None, number: int) -> InputError:
    """The error for a line of another layout than the first line's."""
    return InputError(
        "is not of the layout of the first line.", path=path, line=number, remedy=LAYOUTS
    )
