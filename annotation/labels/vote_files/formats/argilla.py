"""argilla: records with fields, responses and suggestions, as JSON."""

from collections.abc import Iterator
from typing import Any

from annotation.labels.vote_files.content import Record, VoteFile
from annotation.labels.vote_files.import_format import (
    ImportFormat,
    answer_text,
    is_like,
    only_question,
    rows_of,
    table_of,
    text_column,
)
from annotation.labels.vote_files.table import Row, Table

#: Responses with another status are no answers: drafts, and records that a person discarded.
_SUBMITTED = "submitted"


def _recognises(file: VoteFile) -> bool:
    return is_like(file, lambda one: isinstance(one.get("fields"), dict) and "responses" in one)


def _read(file: VoteFile) -> Table:
    rows = rows_of(file, (row for record in file.records for row in _rows(record)))
    unfinished = sum(
        status != _SUBMITTED for record in file.records for *_, status in _responses(record)
    )
    questions = (name for row in rows for name in row.cells if name.startswith("question."))
    fields = {name: "" for row in rows for name in row.cells if name.startswith("fields.")}
    usual = {"query_id": "id", "worker": "user_id", **text_column(fields)}
    ids = [name for row in rows[:1] for name in ("metadata.qid", "metadata.query_id")
           if name in row.cells]  # fmt: skip
    usual |= {"query_id": ids[0]} if ids else {}
    notes = [f"{unfinished:,} responses are drafts or discarded: no answers."] if unfinished else []
    return table_of(file, rows, usual | only_question(questions), notes)


def _rows(record: Record) -> Iterator[Row]:
    about = _about(record)
    for user, question, value, status in _responses(record):
        if status == _SUBMITTED:
            yield _row(record, about, user, question, value)
    for agent, question, value, score in _suggestions(record):
        yield _row(record, about, agent, question, value, is_model=True, score=score)


def _row(
    record: Record,
    about: dict[str, str],
    worker: Any,
    question: str,
    value: Any,
    *,
    is_model: bool = False,
    score: Any = None,
) -> Row:
    cells = {
        **about,
        "user_id": record.text(worker),
        f"question.{question}": answer_text(record, value),
    }
    known = record.text(score) if is_model else ""
    return Row(record.line, cells, record.number, is_model, known)


def _about(record: Record) -> dict[str, str]:
    cells = {"id": record.text(record.value.get("id"))}
    for part in ("fields", "metadata"):
        held = record.value.get(part)
        if isinstance(held, dict):
            cells |= {f"{part}.{name}": record.text(value) for name, value in held.items()}
    return cells


def _responses(record: Record) -> Iterator[tuple[Any, str, Any, str]]:
    """User, question, value, status: as the SDK writes them, or as the server answers."""
    responses = record.value.get("responses", {})
    if isinstance(responses, dict):
        for question, given in responses.items():
            for one in given if isinstance(given, list) else [given]:
                if not isinstance(one, dict) or "value" not in one:
                    raise record.error(f"a response to {question[:40]!r} has no value.")
                yield one.get("user_id"), question, one["value"], one.get("status") or _SUBMITTED
        return
    for one in responses if isinstance(responses, list) else []:
        if not isinstance(one, dict):
            raise record.error("a response is no object.")
        values = one.get("values")
        for question, value in values.items() if isinstance(values, dict) else ():
            held = value.get("value") if isinstance(value, dict) else value
            yield one.get("user_id"), question, held, str(one.get("status") or _SUBMITTED)


def _suggestions(record: Record) -> Iterator[tuple[Any, str, Any, Any]]:
    """Agent, question, value, score; suggestions of several agents are told by their names."""
    held = record.value.get("suggestions")
    for question, one in held.items() if isinstance(held, dict) else ():
        if isinstance(one, dict) and one.get("value") is not None:
            yield one.get("agent") or "suggestion", question, one["value"], one.get("score")


ARGILLA = ImportFormat(
    name="argilla",
    title="Argilla (records as JSON)",
    summary="records with fields, responses (votes) and suggestions (labels of models)",
    position=3,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
