"""argilla: records with fields, responses and suggestions, as JSON."""

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

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
from ..table import Row, Table

#: Responses with another status are not answers: drafts, and records that a person discarded.
SUBMITTED = "submitted"
_QUESTION = "question."
#: Columns of ids, the first that there is; else that of the record.
_IDS = ("qid", "query_id", "metadata.qid", "metadata.query_id", "id")


class Response(NamedTuple):
    """A person's response to a question of a record, or a model's suggestion."""

    question: str
    worker: Any
    value: Any
    status: str = SUBMITTED
    is_model: bool = False
    score: Any = None


def table_of_responses(
    file: VoteFile,
    cells_about: Callable[[Record], dict[str, str]],
    responses_to: Callable[[Record], Iterator[Response]],
    may_be_text: Callable[[str], bool],
) -> Table:
    """The responses to all records, a row each, beside the cells about their record."""
    responses = [(record, list(responses_to(record))) for record in file.records]
    rows = rows_of(
        file,
        (
            _row(record, about, response)
            for record, of_record in responses
            for about in [cells_about(record)]
            for response in of_record
            if response.status == SUBMITTED
        ),
    )
    names = dict.fromkeys(name for row in rows for name in row.cells)
    usual = {"query_id": next((name for name in _IDS if name in names), ""), "worker": "user_id"}
    usual |= text_column({name: "" for name in names if may_be_text(name)})
    usual |= only_question(name for name in names if name.startswith(_QUESTION))
    unfinished = sum(
        response.status != SUBMITTED for _, of_record in responses for response in of_record
    )
    note = f"{unfinished:,} responses are drafts or discarded: no answers."
    return table_of(file, rows, usual, [note] if unfinished else [])


def _row(record: Record, about: dict[str, str], response: Response) -> Row:
    cells = {
        **about,
        "user_id": record.text(response.worker),
        _QUESTION + response.question: answer_text(record, response.value),
    }
    score = record.text(response.score) if response.is_model else ""
    return Row(record.line, cells, record.number, response.is_model, score)


def _recognises(file: VoteFile) -> bool:
    return is_like(
        file, lambda record: isinstance(record.get("fields"), dict) and "responses" in record
    )


def _read(file: VoteFile) -> Table:
    return table_of_responses(file, _about, _responses, lambda name: name.startswith("fields."))


def _about(record: Record) -> dict[str, str]:
    cells = {"id": record.text(record.value.get("id"))}
    for part in ("fields", "metadata"):
        held = record.value.get(part)
        if isinstance(held, dict):
            cells |= {f"{part}.{name}": record.text(value) for name, value in held.items()}
    return cells


def _responses(record: Record) -> Iterator[Response]:
    """Yield the responses of a record, in the SDK's or the server's form; agents suggest."""
    responses = record.value.get("responses", {})
    if isinstance(responses, dict):
        for question, of_question in responses.items():
            for response in of_question if isinstance(of_question, list) else [of_question]:
                if not isinstance(response, dict) or "value" not in response:
                    raise record.error(f"a response to {question[:40]!r} has no value.")
                yield Response(
                    question, response.get("user_id"), response["value"], _status(response)
                )
    for response in responses if isinstance(responses, list) else []:
        if not isinstance(response, dict):
            raise record.error("a response is not an object.")
        values = response.get("values")
        for question, value in values.items() if isinstance(values, dict) else ():
            held = value.get("value") if isinstance(value, dict) else value
            yield Response(question, response.get("user_id"), held, _status(response))
    suggested = record.value.get("suggestions")
    for question, suggestion in suggested.items() if isinstance(suggested, dict) else ():
        if isinstance(suggestion, dict) and suggestion.get("value") is not None:
            agent, score = suggestion.get("agent") or "suggestion", suggestion.get("score")
            yield Response(question, agent, suggestion["value"], is_model=True, score=score)


def _status(response: dict[str, Any]) -> str:
    return str(response.get("status") or SUBMITTED)


ARGILLA = ImportFormat(
    name="argilla",
    title="Argilla (records as JSON)",
    summary="records with fields, responses (votes) and suggestions (labels of models)",
    position=3,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
