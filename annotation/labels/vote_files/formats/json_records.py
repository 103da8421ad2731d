"""json: flat records with one vote each, such as Label Studio's JSON-MIN."""

from typing import Any

from annotation.labels.vote_files.content import Record, VoteFile
from annotation.labels.vote_files.import_format import (
    ImportFormat,
    answer_text,
    is_like,
    table_of,
    usual_among,
)
from annotation.labels.vote_files.table import Row, Table


def _recognises(file: VoteFile) -> bool:
    return is_like(file, lambda one: all(_is_flat(cell) for cell in one.values()))


def _is_flat(cell: Any) -> bool:
    inside = cell if isinstance(cell, list) else [cell]
    return not any(isinstance(one, list | dict) for one in inside)


def _read(file: VoteFile) -> Table:
    rows = [
        Row(
            record.line,
            {name: _cell(record, value) for name, value in record.value.items()},
            record=record.number,
        )
        for record in file.records
    ]
    names = dict.fromkeys(name for row in rows for name in row.cells)
    return table_of(file, rows, {"query_id": "id", **usual_among(names)})


def _cell(record: Record, value: Any) -> str:
    if isinstance(value, list) and _is_flat(value):
        return answer_text(record, value)
    return record.text(value)


JSON_RECORDS = ImportFormat(
    name="json",
    title="One vote per record (JSON)",
    summary="an array or lines of flat objects with one vote each, as Label Studio's JSON-MIN",
    position=7,
    recognises=_recognises,
    read=_read,
)
