"""argilla-hub: records of Argilla as its data sets on the Hugging Face hub have them.

Version 2 writes `QUESTION.responses`, `.responses.users` and `.responses.status` as three lists of
one length; version 1 one list of `{"user_id", "value", "status"}` at the question's name.
"""

from collections.abc import Iterator
from typing import Any

from ..content import Record, VoteFile
from ..formats.argilla import SUBMITTED, Response, table_of_responses
from ..import_format import ImportFormat, is_like
from ..table import Table

_RESPONSES, _USERS, _STATUS = ".responses", ".responses.users", ".responses.status"
_NO_TEXTS = ("id", "status", "_server_id", "user_id", "metadata", "external_id")


def _recognises(file: VoteFile) -> bool:
    return is_like(file, lambda record: any(_is_question(name, record) for name in record))


def _is_question(name: str, record: dict[str, Any]) -> bool:
    if name.endswith(_RESPONSES):
        return f"{name}.users" in record
    held = record[name]
    return isinstance(held, list) and any(
        isinstance(each, dict) and {"user_id", "value"} <= each.keys() for each in held
    )


def _read(file: VoteFile) -> Table:
    return table_of_responses(
        file,
        _about,
        _responses,
        lambda name: not name.startswith("question.") and name not in _NO_TEXTS,
    )


def _about(record: Record) -> dict[str, str]:
    cells = {
        name: record.text(value)
        for name, value in record.value.items()
        if not isinstance(value, list | dict) and ".suggestion" not in name
        and "-suggestion" not in name
    }  # fmt: skip
    cells.setdefault("id", record.text(record.value.get("external_id")) or str(record.number))
    return cells


def _responses(record: Record) -> Iterator[Response]:
    fields = record.value
    for name, held in fields.items():
        if not _is_question(name, fields) or not isinstance(held, list):
            continue
        if not name.endswith(_RESPONSES):
            for each in held:
                if isinstance(each, dict):
                    status = str(each.get("status") or SUBMITTED)
                    yield Response(name, each.get("user_id"), each.get("value"), status)
            continue
        question = name.removesuffix(_RESPONSES)
        users, statuses = fields[f"{question}{_USERS}"], fields.get(f"{question}{_STATUS}")
        states = statuses if isinstance(statuses, list) else [SUBMITTED] * len(held)
        if not isinstance(users, list) or len({len(held), len(users), len(states)}) > 1:
            raise record.error(f"the responses to {question[:40]!r} do not have one user each.")
        for value, user, state in zip(held, users, states, strict=True):
            yield Response(question, user, value, str(state or SUBMITTED))
    for name, value in fields.items():
        question = name.removesuffix(".suggestion").removesuffix("-suggestion")
        if question != name and value is not None:
            agent, score = fields.get(f"{name}.agent") or "suggestion", fields.get(f"{name}.score")
            yield Response(question, agent, value, is_model=True, score=score)


ARGILLA_HUB = ImportFormat(
    name="argilla-hub",
    title="Argilla (data set on the hub, JSON lines)",
    summary="records with QUESTION.responses and their users and status; suggestions are labels of "
    "models",
    position=20,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
