"""doccano: JSON or JSON lines of a text classification, one file per annotator."""

from typing import Any

from ..column_names import usual_among
from ..content import VoteFile
from ..import_format import (
    ImportFormat,
    answer_text,
    is_like,
    table_of,
    text_column,
)
from ..table import Row, Table

_LABELS = ("label", "labels")
WORKER = "file"
#: Where annotators share their examples, doccano exports one file of this name.
_SHARED = "all"


def _recognises(file: VoteFile) -> bool:
    return is_like(file, _is_example)


def _is_example(record: dict[str, Any]) -> bool:
    labels = next((record[name] for name in _LABELS if name in record), None)
    return "id" in record and ("text" in record or "data" in record) and isinstance(labels, list)


def _read(file: VoteFile) -> Table:
    rows = []
    for record in file.records:
        cells = {name: record.text(value) for name, value in record.value.items()}
        labels = next((record.value[name] for name in _LABELS if name in record.value), None)
        # Every file has all examples: one without a label was not this person's.
        if labels or labels is None:
            cells["label"] = answer_text(record, labels)
            rows.append(Row(record.line, {**cells, WORKER: file.stem}, record=record.number))
    qid = usual_among(file.first[0]).get("query_id", "id")
    usual = {"query_id": qid, "worker": WORKER, "label": "label"}
    usual |= text_column({name: "" for name in ("text", "data") if name in file.first[0]})
    return table_of(file, rows, usual, notes_of(file, len(file.records) - len(rows)))


def notes_of(file: VoteFile, left: int) -> tuple[str, ...]:
    """Return notes on examples without a label, and on a file that all annotators share."""
    notes = [f"Examples without a label in the file of {file.stem}: {left:,}."] if left else []
    if file.stem.casefold() == _SHARED:
        notes.append(
            f"The file {file.stem} has the labels that all annotators of a doccano project "
            f"share: they count as the votes of one person, named {file.stem}. For votes of each "
            "person, export a project whose annotators do not share their annotations."
        )
    return tuple(notes)


DOCCANO = ImportFormat(
    name="doccano",
    title="doccano (JSON lines, one file per person)",
    summary="id, text and label of each example; the file's name is the annotator's",
    position=6,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
