"""argilla-v1: text classification of Argilla 1 (Rubrix): an annotation and a prediction each."""

from collections.abc import Iterator
from typing import Any

from ..content import Record, VoteFile
from ..import_format import (
    ImportFormat,
    answer_text,
    is_like,
    rows_of,
    table_of,
)
from ..table import UNNAMED_MODEL, Row, Table

_DISCARDED = "discarded"
_MEMBERS = {"annotation", "annotation_agent"}


def _recognises(file: VoteFile) -> bool:
    return is_like(file, lambda record: record.keys() >= _MEMBERS)


def _read(file: VoteFile) -> Table:
    rows = rows_of(file, (row for record in file.records for row in _rows(record)))
    left = sum(not row.model for row in rows)
    left = len(file.records) - left
    notes = [f"Records without an annotation, or discarded: {left:,}."] if left else []
    names = {name for row in rows for name in row.cells}
    ids = [name for name in ("metadata.qid", "metadata.query_id") if name in names]
    usual = {"query_id": [*ids, "id"][0], "worker": "annotation_agent", "label": "annotation"}
    return table_of(file, rows, {**usual, "query": "text"}, notes)


def _rows(record: Record) -> Iterator[Row]:
    fields = record.value
    inputs = fields.get("inputs")
    text = fields.get("text")
    if text is None and isinstance(inputs, dict) and len(inputs) == 1:
        (text,) = inputs.values()
    about = {"id": record.text(fields.get("id")) or str(record.number), "text": record.text(text)}
    metadata = fields.get("metadata")
    for name, value in metadata.items() if isinstance(metadata, dict) else ():
        about[f"metadata.{name}"] = record.text(value)
    is_discarded = str(fields.get("status", "")).casefold() == _DISCARDED
    if fields.get("annotation") is not None and not is_discarded:
        yield _row(record, about, fields.get("annotation_agent"), fields["annotation"])
    best = _best(fields.get("prediction"))
    if best is not None:
        agent = fields.get("prediction_agent") or UNNAMED_MODEL
        yield _row(record, about, agent, best.get("label"), model=True, score=best.get("score"))


def _best(prediction: Any) -> dict[str, Any] | None:
    """The label with the highest score of a prediction, which lists all of them."""
    held = prediction if isinstance(prediction, list) else []
    labels = [label for label in held if isinstance(label, dict) and "label" in label]
    return max(labels, key=_score, default=None)


def _score(label: dict[str, Any]) -> float:
    score = label.get("score")
    return float(score) if isinstance(score, int | float) else 0.0


def _row(
    record: Record,
    about: dict[str, str],
    agent: Any,
    label: Any,
    *,
    model: bool = False,
    score: Any = None,
) -> Row:
    cells = {"annotation_agent": record.text(agent), "annotation": answer_text(record, label)}
    known = record.text(score) if model else ""
    return Row(record.line, {**about, **cells}, record.number, model, known)


ARGILLA_V1 = ImportFormat(
    name="argilla-v1",
    title="Argilla 1 (text classification, JSON)",
    summary="records with annotation and annotation_agent (votes), and prediction (labels of "
    "models)",
    position=21,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
