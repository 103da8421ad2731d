"""potato: the state of each annotator (user_state.json), or JSON lines of annotated instances."""

from collections.abc import Iterator, Mapping
from typing import Any

from ..choices import SEVERAL
from ..content import Record, VoteFile
from ..import_format import (
    ImportFormat,
    is_like,
    only_question,
    rows_of,
    table_of,
)
from ..table import Row, Table

_STATES, _LABELS = "instance_id_to_label_to_value", "label_annotations"
_TIMES = "instance_id_to_behavioral_data"
#: What a box holds that is not ticked.
_NOT_TICKED = ("", "false", "0")
_IS_NAME = ("", "true", "1", "on")
_MILLISECONDS = 1_000


def _recognises(file: VoteFile) -> bool:
    return is_like(
        file,
        lambda record: isinstance(record.get(_STATES), dict) or type(record.get(_LABELS)) is dict,
    )


def _read(file: VoteFile) -> Table:
    rows = rows_of(file, (row for record in file.records for row in _rows(record)))
    schemes = (name for row in rows for name in row.cells if name.startswith("scheme."))
    usual = {
        "query_id": "instance_id",
        "worker": "user_id",
        "query": "displayed_text",
        "seconds": "seconds",
    }
    return table_of(file, rows, usual | only_question(schemes))


def _rows(record: Record) -> Iterator[Row]:
    state = record.value
    user = {"user_id": record.text(state.get("user_id"))}
    if isinstance(state.get(_STATES), dict):
        for instance, pairs in state[_STATES].items():
            cells = {
                "instance_id": record.text(instance),
                "user_id": record.text(state.get("user_id")),
            }
            cells["seconds"] = _seconds(record, instance)
            yield Row(record.line, cells | _answers(record, _by_scheme(record, pairs)),
                      record=record.number)  # fmt: skip
        return
    if not isinstance(state.get(_LABELS), dict):
        raise record.error(f"has no {_LABELS}.")
    cells = {name: record.text(state.get(name)) for name in ("instance_id", "displayed_text")}
    cells |= user
    yield Row(record.line, cells | _answers(record, state[_LABELS]), record=record.number)


def _by_scheme(record: Record, pairs: Any) -> dict[str, dict[str, Any]]:
    """`[[{"schema", "name"}, value], ...]` of a user's state as scheme -> label -> value."""
    values: dict[str, dict[str, Any]] = {}
    for pair in pairs if isinstance(pairs, list) else [pairs]:
        match pair:
            case [{"schema": str(scheme), "name": str(label)}, value]:
                values.setdefault(scheme, {})[label] = value
            case _:
                raise record.error("an answer is not a pair of a label and its value.")
    return values


def _answers(record: Record, schemes: Mapping[str, Any]) -> dict[str, str]:
    return {
        f"scheme.{scheme}": _answer(record, labels)
        for scheme, labels in schemes.items()
        if isinstance(labels, dict)
    }


def _answer(record: Record, labels: Mapping[str, Any]) -> str:
    """The labels of a scheme that are ticked; a value of its own stands for its label."""
    chosen = []
    for label, value in labels.items():
        text = record.text(value).strip()
        if text.casefold() not in _NOT_TICKED:
            chosen.append(label if text.casefold() in _IS_NAME else text)
    return SEVERAL.join(dict.fromkeys(record.text(choice) for choice in chosen))


def _seconds(record: Record, instance: str) -> str:
    times = record.value.get(_TIMES)
    about = times.get(instance) if isinstance(times, dict) else None
    spent = about.get("total_time_ms") if isinstance(about, dict) else None
    return repr(spent / _MILLISECONDS) if isinstance(spent, int | float) and spent > 0 else ""


POTATO = ImportFormat(
    name="potato",
    title="Potato (user_state.json, or JSON lines)",
    summary="the answers of each annotator to each scheme; texts come in a file of queries",
    position=4,
    recognises=_recognises,
    read=_read,
    in_several_files=True,
)
