"""Query files that name their columns: tables with a header, and JSON."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Literal

from ..errors import InputError
from ..io import headers
from ..io.csv_tables import Lines, parted, records, unquoted
from ..io.parquet_tables import parquet_table

Layout = Literal["ids", "texts", "labels"]
#: Line, id, text and label.
Row = tuple[int, str, str, str]
_Lines = list[tuple[int, str]]

#: The first line of labels as this package writes them.
HEADER = "qid,query,label"
LAYOUTS = "Write one id per line, or qid<TAB>text, or qid,text,label."
_QIDS = (*headers.QIDS, "_id", "id")


def table_of_queries(rows: _Lines, path: str | Path | None) -> tuple[Layout, Iterator[Row]] | None:
    """The queries of a table whose first line names its columns; None where it names none.

    Columns of texts and labels are recognised by name; all others are ignored. Cells may be quoted.
    """
    lines, mark = parted(rows)
    begin, line = lines[0][0], lines[0][1].strip("\r\n")
    header = line.split(mark or "\t")
    if len(header) == 1:
        is_header = headers.normal(line) in headers.QIDS
        ids = ((n, text.strip("\r\n"), "", "") for n, text in lines[1:] if text.strip())
        return ("ids", ids) if is_header else None
    places = headers.places_of(header, _QIDS, headers.QUERIES)
    label = headers.place_of(header, headers.LABELS)
    if places is None:
        if headers.normal(header[0]) not in headers.QIDS:
            return None
        raise InputError(
            f"names the columns {', '.join(header)[:80]}, none of which is the text of a query.",
            path=path,
            line=begin,
            remedy="Name them qid, query and, if there is one, label.",
        )
    parts = _parts(_cells(lines, mark or "\t", path), (*places, label), len(header), path)
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


def _cells(lines: Lines, mark: str, path: str | Path | None) -> Iterator[tuple[int, list[str]]]:
    """The cells of each record below the header, with the line where it begins.

    A text quoted between commas may go over several lines. Between tabs a line is a record, for
    there a query may hold quotes of its own.
    """
    if mark == "\t":
        always = all(cell.startswith('"') for cell in lines[0][1].split(mark))
        for number, line in lines[1:]:
            if not line.strip(" \t\r\n"):
                continue
            cells = line.rstrip("\r\n").split(mark)
            yield number, [unquoted(cell, mark, always=always) for cell in cells]
        return
    for number, _, cells in records(lines[1:], mark, path, LAYOUTS):
        yield number, cells


def json_queries(rows: _Lines, path: str | Path | None) -> tuple[Layout, Iterator[Row]]:
    """Queries in JSON: an object with id and text per line, a list of them, or `{qid: text}`."""
    parts = [(number, *_of_record(record, path, number)) for number, record in _records(rows, path)]
    has_labels = bool(parts) and all(label for *_, label in parts)
    return ("labels" if has_labels else "texts"), iter(parts)


def parquet_lines(path: str | Path) -> _Lines:
    """The rows of a table in Parquet as lines of JSON, which `json_queries` reads."""
    names, rows = parquet_table(path)
    objects = [json.dumps(dict(zip(names, cells, strict=True))) for cells in rows]
    # One object alone could be `{qid: text}`.
    return list(enumerate(objects, start=1)) if len(objects) > 1 else [(1, f"[{''.join(objects)}]")]


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
            f"is not JSON ({str(error)[:80]}).", path=path, line=number, remedy=LAYOUTS
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
        raise InputError("the id or the text is not text.", path=path, line=number, remedy=LAYOUTS)
    return qid, text, marked if isinstance(marked, str) else ""


def other_layout(path: str | Path | None, number: int) -> InputError:
    """The error for a line of another layout than the first line's."""
    return InputError(
        "is not of the layout of the first line.", path=path, line=number, remedy=LAYOUTS
    )
