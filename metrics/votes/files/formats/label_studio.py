"""label-studio: an export of tasks as JSON, with annotations (votes) and predictions (models)."""

from collections.abc import Iterator
from typing import Any

from ..choices import SEVERAL
from ..column_names import usual_among
from ..content import Record, VoteFile
from ..import_format import (
    ImportFormat,
    answer_text,
    is_like,
    only_question,
    rows_of,
    table_of,
    text_column,
)
from ..table import UNNAMED_MODEL, Row, Table

#: The kinds of answers that are read, and the member of `value` that holds each.
_CLOSED = {"choices": "choices", "rating": "rating", "pairwise": "selected", "number": "number"}
_RESULT, _DATA = "result.", "data."


def _recognises(file: VoteFile) -> bool:
    return is_like(
        file,
        lambda task: (
            _is_stored_annotation(task)
            or (
                isinstance(task.get("data"), dict)
                and any(isinstance(task.get(name), list) for name in ("annotations", "predictions"))
            )
        ),
    )


def _is_stored_annotation(record: dict[str, Any]) -> bool:
    """Return whether the record is an annotation with its task, as a target storage has it."""
    return isinstance(record.get("task"), dict) and isinstance(record.get("result"), list)


def _as_task(record: Record) -> Record:
    """The record of a task; an annotation that has its task becomes the task that has it."""
    if not _is_stored_annotation(record.value):
        return record
    return record._replace(value={**record.value["task"], "annotations": [record.value]})


def _read(file: VoteFile) -> Table:
    rows = rows_of(file, (row for record in file.records for row in _rows(_as_task(record))))
    names = dict.fromkeys(name for row in rows for name in row.cells)
    data = {name: "" for name in names if name.startswith(_DATA)}
    usual = {
        "query_id": "task",
        "worker": "annotator",
        "seconds": "lead_time",
        "answered_at": "created_at",
        **only_question(name for name in names if name.startswith(_RESULT)),
    }
    usual |= {
        role: name
        for role, name in usual_among(data, prefix=_DATA).items()
        if role in ("query_id", "gold")
    }
    if {f"{_DATA}docno", f"{_DATA}passage"} <= data.keys():
        usual |= {role: _DATA + role for role in ("docno", "passage")}
    texts = [name for name in data if name not in usual.values()]
    return table_of(file, rows, usual | text_column(dict.fromkeys(texts, "")), _notes(file))


def _notes(file: VoteFile) -> list[str]:
    """Drafts, which nobody submitted; and predictions that are numbers alone."""
    drafts = sum(_n_drafts(record.value) for record in file.records)
    notes = [f"{drafts:,} drafts are left out, because nobody submitted them."] if drafts else []
    return notes + _predictions_left(file)


def _n_drafts(task: dict[str, Any]) -> int:
    held = task.get("drafts")
    of_annotations = task.get("annotations")
    return (len(held) if isinstance(held, list) else 0) + sum(
        _is_draft(annotation) for annotation in of_annotations or [] if isinstance(annotation, dict)
    )


def _is_draft(annotation: dict[str, Any]) -> bool:
    return annotation.get("is_draft") is True or annotation.get("draft") is True


def _predictions_left(file: VoteFile) -> list[str]:
    numbers = sum(
        any(isinstance(prediction, int) for prediction in record.value.get("predictions") or [])
        for record in file.records
    )
    if not numbers:
        return []
    note = f"Predictions of {numbers:,} tasks are numbers alone: export a snapshot with them."
    return [note]


def _rows(record: Record) -> Iterator[Row]:
    task = record.value
    data = task.get("data")
    if not isinstance(data, dict):
        raise record.error("the task has no data.", "Export from Label Studio as JSON.")
    about = {_DATA + name: record.text(value) for name, value in data.items()}
    about = {"task": record.text(task.get("id", record.number)), **about}
    for annotation in _list(record, "annotations"):
        if _is_draft(annotation):
            continue
        yield Row(
            record.line,
            {
                **about,
                "annotator": _annotator(record, annotation),
                "lead_time": record.text(annotation.get("lead_time")),
                "created_at": record.text(
                    _ours(annotation).get("created_at", annotation.get("created_at"))
                ),
                # Skipped: the answer is blank.
                **({} if annotation.get("was_cancelled") else _answers(record, annotation)),
            },
            record=record.number,
        )
    for prediction in _list(record, "predictions"):
        model = record.text(prediction.get("model_version")) or UNNAMED_MODEL
        answers = _answers(record, prediction)
        score = record.text(prediction.get("score"))
        yield Row(record.line, {**about, "annotator": model, **answers}, record.number, True, score)


def _list(record: Record, name: str) -> list[dict[str, Any]]:
    held = record.value.get(name) or []
    # A task that lists its predictions by number alone was exported without them.
    return [part for part in held if isinstance(part, dict)] if isinstance(held, list) else []


def _annotator(record: Record, annotation: dict[str, Any]) -> str:
    """The pseudonym of our own export, the number of a user, or the address of one without."""
    by = _ours(annotation).get("worker", annotation.get("completed_by"))
    if isinstance(by, dict):
        by = by.get("id", by.get("email"))
    return record.text(by)


def _ours(annotation: dict[str, Any]) -> dict[str, Any]:
    """Return our own export's data of a vote, which survive another import by Label Studio."""
    match annotation.get("result"):
        case [{"meta": {"worker": str()} as meta}, *_]:
            return dict(meta)
    return {}


def _answers(record: Record, annotation: dict[str, Any]) -> dict[str, str]:
    """The closed answers by their question; a question answered per region has several values."""
    answers: dict[str, str] = {}
    result = annotation.get("result")
    for region in result if isinstance(result, list) else []:
        match region:
            case {"value": dict(value)}:
                # What a person's own program predicts may lack the names.
                kind = region.get("type", "choices")
                if kind in _CLOSED:
                    answer = answer_text(record, value.get(_CLOSED[kind]))
                    name = f"{_RESULT}{region.get('from_name', 'choice')}"
                    answers[name] = SEVERAL.join(filter(None, (answers.get(name, ""), answer)))
            case _:
                raise record.error("a result has no value.")
    return answers


LABEL_STUDIO = ImportFormat(
    name="label-studio",
    title="Label Studio (JSON)",
    summary="tasks with annotations (votes, times, annotators) and predictions (labels of models)",
    position=2,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
