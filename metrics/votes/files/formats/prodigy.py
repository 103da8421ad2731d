"""prodigy: JSON lines of the recipes with choices or one label to accept or reject."""

from dataclasses import replace
from typing import Any

from ..choices import SEVERAL
from ..content import Record, VoteFile
from ..import_format import (
    ImportFormat,
    answer_text,
    is_like,
    table_of,
)
from ..table import Row, Table

_VERDICTS = ("accept", "reject", "ignore")
#: The column that has the file's name where no task names who answered.
_FILE = "file"
#: The label of a task that asks whether it fits, and what is before one that does not.
_LABEL, _NOT = "label of the task", "not "
_WORKERS = ("_annotator_id", "_session_id")


def _recognises(file: VoteFile) -> bool:
    return is_like(file, _is_task)


def _is_task(record: dict[str, Any]) -> bool:
    return "_task_hash" in record or ("answer" in record and record["answer"] in _VERDICTS)


def _read(file: VoteFile) -> Table:
    rows = [
        Row(record.line, _cells(record), record=record.number)
        for record in file.records
        if isinstance(record.value.get("answer"), str)
    ]
    has = {name for row in rows for name, cell in row.cells.items() if cell}
    qid = next((name for name in ("meta.qid", "meta.id", "id") if name in has), "_input_hash")
    worker = next((name for name in _WORKERS if name in has), "")
    notes = []
    if not worker and rows:
        worker = _FILE
        rows = [replace(row, cells={**row.cells, _FILE: file.stem}) for row in rows]
        notes = [f"No task names its annotator: {file.stem}, named after the file, stands for all."]
    rows = _of_each_question(rows, qid, worker)
    usual = {"query_id": qid, "worker": worker, "label": "answer", "query": "text"}
    return table_of(file, rows, {**usual, "answered_at": "_timestamp"}, notes)


def _of_each_question(rows: list[Row], qid: str, worker: str) -> list[Row]:
    """One row where somebody accepted or rejected several labels of one text, a task each."""
    whole: dict[tuple[str, str], Row] = {}
    for row in rows:
        key = (row.cells.get(qid, ""), row.cells.get(worker, ""))
        if _LABEL not in row.cells or not all(key):
            key = (str(row.record), "")
        before = whole.get(key)
        if before is None:
            whole[key] = row
        elif row.cells[_LABEL] in before.cells[_LABEL].split(SEVERAL):
            # The same label twice is a second answer, which the reader refuses.
            whole[str(row.record), ""] = row
        else:
            labels = SEVERAL.join((before.cells[_LABEL], row.cells[_LABEL]))
            answer = _both(before, row)
            whole[key] = replace(before, cells={**before.cells, _LABEL: labels, "answer": answer})
    return list(whole.values())


def _both(before: Row, row: Row) -> str:
    """The labels that were accepted; where none was, those that were not."""
    labels = [part for of in (before, row) for part in of.cells["answer"].split(SEVERAL) if part]
    accepted = [part for part in labels if not part.startswith(_NOT)]
    return SEVERAL.join(accepted or labels)


def _cells(record: Record) -> dict[str, str]:
    task = record.value
    meta = task.get("meta")
    about = {f"meta.{name}": value for name, value in meta.items()} if type(meta) is dict else {}
    kept = ("id", "text", "_input_hash", *_WORKERS, "_timestamp")
    cells = {name: task[name] for name in kept if name in task} | about
    answer = {"answer": _answer(record)}
    if not {"accept", "options"} & task.keys() and "label" in task:
        answer[_LABEL] = answer_text(record, task["label"])
    return {name: record.text(value) for name, value in cells.items()} | answer


def _answer(record: Record) -> str:
    """The choice that was accepted; a label that was not is said to be `not` it."""
    task, verdict = record.value, record.value["answer"]
    if verdict not in _VERDICTS:
        raise record.error(f"the answer is none of {', '.join(_VERDICTS)}.")
    if verdict == "ignore":
        return ""
    if "accept" in task or "options" in task:
        return answer_text(record, task.get("accept") or []) if verdict == "accept" else ""
    label = answer_text(record, task.get("label"))
    return label if verdict == "accept" or not label else f"{_NOT}{label}"


PRODIGY = ImportFormat(
    name="prodigy",
    title="Prodigy (JSON lines)",
    summary="tasks with accept and answer, or label and answer; ignored tasks are blank",
    position=5,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
