"""json: records with one vote each, such as Label Studio's JSON-MIN."""

import json
from dataclasses import replace
from typing import Any

from ..choices import choice_text
from ..content import Record, VoteFile
from ..import_format import (
    ImportFormat,
    answer_text,
    is_like,
    rows_of,
    table_of,
)
from ..one_vote import usual_columns
from ..table import Row, Table

_FEWEST_CELLS = 3


def _recognises(file: VoteFile) -> bool:
    """A vote has a query, a person and an answer, whatever else a record holds."""
    return is_like(file, lambda record: sum(map(_is_cell, record.values())) >= _FEWEST_CELLS)


def _fits(file: VoteFile) -> bool:
    return file.is_json


def _is_cell(value: Any) -> bool:
    return not isinstance(value, list | dict) or choice_text(value) is not None


def _read(file: VoteFile) -> Table:
    rows = rows_of(
        file,
        (
            Row(
                record.line,
                {name: _cell(record, value) for name, value in record.value.items()},
                record=record.number,
            )
            for record in file.records
        ),
    )
    table = table_of(file, rows, {})
    return replace(table, usual=usual_columns(table))


def _cell(record: Record, value: Any) -> str:
    """One value, or several joined; what is neither, as JSON: a field that nobody asked for."""
    if (choice := choice_text(value)) is not None:
        return record.text(choice)
    if isinstance(value, list) and not any(isinstance(part, list | dict) for part in value):
        return answer_text(record, value)
    return json.dumps(value) if isinstance(value, list | dict) else record.text(value)


JSON_RECORDS = ImportFormat(
    name="json",
    title="One vote per record (JSON)",
    summary="an array or lines of objects with one vote each, as Label Studio's JSON-MIN",
    position=27,
    recognises=_recognises,
    read=_read,
    fits=_fits,
)
