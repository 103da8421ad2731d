"""Requests that Prolific's contract allows; anything missing or undescribed is refused.

`contract.json` has, for each operation that the market serves, its method and path, its query and
the schema of its body, after Prolific's published OpenAPI description.
"""

import json
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import parse_qsl

from annotation.prolific.double.refusals import RefusalError
from annotation.prolific.double.refusals import field as refuse

_NAME = re.compile(r"\\\{\w+\\\}")
#: Members that the schema requires although others stand for them, by its description.
_STANDS_FOR = {"external_study_url": {"access_details", "data_collection_method"}}
_TYPES: dict[str, type | tuple[type, ...]] = {
    "object": dict,
    "array": list,
    "string": str,
    "integer": int,
    "number": (int, float),
    "boolean": bool,
    "null": type(None),
}


class Operation(NamedTuple):
    """One operation; `query` has schemas by parameter, `body` is None where there is no body."""

    method: str
    path: str
    query: Mapping[str, Mapping[str, Any]]
    body: Mapping[str, Any] | None

    @property
    def pattern(self) -> re.Pattern[str]:
        """The path with a group for each id that it names."""
        return re.compile(_NAME.sub(r"([\\w.-]+)", re.escape(self.path)))


def described_operations() -> list[Operation]:
    """The operations of `contract.json`."""
    text = Path(__file__).with_name("contract.json").read_text("utf-8")
    return [Operation(**operation) for operation in json.loads(text)]


def query_of(operation: Operation, query: str) -> dict[str, str]:
    """Return the query's parameters by name; `RefusalError` for others than the contract's."""
    pairs = parse_qsl(query, keep_blank_values=True)
    values = dict(pairs)
    if len(values) < len(pairs):
        raise refuse(pairs[-1][0], "This parameter is given twice.")
    left: dict[str, Any] = dict(values)
    for name, schema in operation.query.items():
        # An object in a query is written as its members, under names of their own.
        for members in schema.get("oneOf", ()):
            if left.keys() & members["properties"].keys():
                left[name] = {
                    member: left.pop(member) for member in members["properties"] if member in left
                }
        if name in left:
            _check(_read(left.pop(name), schema), schema, name)
        elif schema.get("required"):
            raise refuse(name, "This parameter is required.")
    for name in left:
        raise refuse(name, "There is no such parameter.")
    return values


def body_of(operation: Operation, raw: bytes, content_type: str) -> dict[str, Any]:
    """Return the parsed body; `RefusalError` for anything but the contract's."""
    if operation.body is None:
        if raw:
            raise RefusalError("No body is expected.")
        return {}
    if content_type.partition(";")[0].strip().casefold() != "application/json":
        raise RefusalError("The body is expected as application/json.")
    try:
        body = json.loads(raw)
    except ValueError:
        raise RefusalError("JSON parse error.") from None
    if not isinstance(body, dict):
        raise RefusalError("An object is expected.")
    _check(body, _without_replaced(operation.body, body), "body")
    return body


def _without_replaced(schema: Mapping[str, Any], body: Mapping[str, Any]) -> Mapping[str, Any]:
    """The schema without a member that another one stands for: the description's words say so."""
    replaced = {name for name, others in _STANDS_FOR.items() if others & body.keys()}
    if not replaced:
        return schema
    required = [name for name in schema.get("required", ()) if name not in replaced]
    return {**schema, "required": required}


def _read(value: Any, schema: Mapping[str, Any]) -> Any:
    """The value of a parameter, which is a text where it is not an object's members."""
    match schema.get("type"):
        case "integer" if re.fullmatch(r"-?[0-9]{1,18}", value):
            return int(value)
        case "boolean" if value in {"true", "false"}:
            return value == "true"
    return value


def _check(value: Any, schema: Mapping[str, Any], name: str) -> None:
    """Refuse a value that the schema does not describe, an object also for further members."""
    if "oneOf" in schema:
        _check_any(value, schema["oneOf"], name)
        return
    kinds = schema.get("type", ())
    kinds = [kinds] if isinstance(kinds, str) else kinds
    is_bool = isinstance(value, bool)
    if kinds and not any(
        isinstance(value, _TYPES[kind]) and is_bool == (kind == "boolean") for kind in kinds
    ):
        raise refuse(name, f"This is not of the type {' or '.join(kinds)}.")
    if value not in schema.get("enum", (value,)):
        raise refuse(name, f'"{value}" is not a valid choice.')
    if isinstance(value, dict) and "properties" in schema:
        _check_members(value, schema, name)
    elif isinstance(value, list):
        for element in value:
            _check(element, schema.get("items", {}), name)


def _check_any(value: Any, alternatives: Sequence[Mapping[str, Any]], name: str) -> None:
    """Accept one of overlapping alternatives; report the errors of the nearest."""
    refusals = []
    for schema in alternatives:
        try:
            _check(value, schema, name)
        except RefusalError as error:
            refusals.append(error)
        else:
            return
    raise refusals[-1] if len(refusals) == 1 else refuse(name, "This is none of what is described.")


def _check_members(value: Mapping[str, Any], schema: Mapping[str, Any], name: str) -> None:
    described = schema["properties"]
    for member in schema.get("required", ()):
        if member not in value:
            raise refuse(member, f"This field of {name} is required.")
    for member, held in value.items():
        if member not in described:
            raise refuse(member, f"There is no such field of {name}.")
        _check(held, described[member], member)
