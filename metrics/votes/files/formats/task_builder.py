"""task-builder: responses of Prolific's Task Builder, as its API lists them."""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from ..choices import SEVERAL
from ..content import Record, VoteFile
from ..import_format import ImportFormat, is_like, only_question, rows_of, table_of
from ..table import Row, Table

#: The column with our id of the item, as the data set has it; it may have the mark of hidden ones.
ITEM = "item"
ITEM_NAMES = (ITEM, f"META_{ITEM}")
#: Between the name of a question and the code of an option, in a value.
IS = "="
_TEXT = "free text"


def _recognises(file: VoteFile) -> bool:
    return is_like(file, _is_list) or is_like(file, _is_response)


def _is_list(record: dict[str, Any]) -> bool:
    results = record.get("results")
    return isinstance(results, list) and bool(results) and all(map(_is_response, results))


def _is_response(record: Any) -> bool:
    return (
        isinstance(record, dict)
        and "participant_id" in record
        and "task_id" in record
        and isinstance(record.get("response"), dict)
        and "instruction_id" in record["response"]
    )


def _read(file: VoteFile) -> Table:
    """One row for each participant and task, with a column for each question."""
    whole: dict[tuple[str, str, str], Row] = {}
    questions: dict[str, None] = {}
    for record in _responses(file):
        response = record.value
        key = tuple(
            record.text(response.get(name)) for name in ("participant_id", "task_id", "batch_id")
        )
        row = whole.get(key)  # type: ignore[arg-type]
        about = row.cells if row else _about(record)
        question, answer = _answer(record)
        if question in about:
            raise record.error(f"{about['participant_id']!r} answers {question!r} twice.")
        if question != _TEXT:
            questions[question] = None
        cells = {**about, question: answer}
        whole[key] = replace(row, cells=cells) if row else Row(record.line, cells, record.number)  # type: ignore[index]
    usual = {"query_id": "item", "worker": "participant_id", "answered_at": "created_at"}
    return table_of(file, rows_of(file, whole.values()), usual | only_question(questions))


def _responses(file: VoteFile) -> Iterator[Record]:
    for record in file.records:
        if not _is_list(record.value):
            yield record
            continue
        for number, response in enumerate(record.value["results"], start=1):
            yield Record(record.path, record.line, number, response)


def _about(record: Record) -> dict[str, str]:
    response = record.value
    metadata = response.get("metadata")
    metadata = metadata if isinstance(metadata, dict) else {}
    item = next((metadata[name] for name in ITEM_NAMES if name in metadata), None)
    if item is None:
        raise record.error(
            "its metadata have no item.", "Make the data set by scheme task-builder: it has ids."
        )
    kept = ("participant_id", "created_at", "submission_id")
    return {"item": record.text(item)} | {name: record.text(response.get(name)) for name in kept}


def _answer(record: Record) -> tuple[str, str]:
    """The name of the question, and the codes that were chosen; or what was written."""
    answer = record.value["response"].get("answer")
    chosen = answer if isinstance(answer, list) else []
    values = [record.text(of.get("value")) if isinstance(of, dict) else "" for of in chosen]
    if not str(record.value["response"].get("type")).startswith("multiple_choice"):
        return _TEXT, " ".join(values)
    parts = [value.partition(IS) for value in values]
    names = {name for name, mark, _ in parts if mark}
    if len(names) != 1 or not all(mark for _, mark, _ in parts):
        raise record.error(
            "the value of an option is not a question and a code, as gender=f.",
            "Ask by the layout that scheme task-builder writes.",
        )
    return names.pop(), SEVERAL.join(code for *_, code in parts)


TASK_BUILDER = ImportFormat(
    name="task-builder",
    title="Prolific's Task Builder (JSON)",
    summary="responses of a batch whose layout `scheme task-builder` wrote",
    position=7,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
