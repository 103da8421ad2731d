"""Requests checked against, and replies written by, Amazon's own model of the API.

The model is the file that the AWS clients ship with, so both ends read the same definition.
"""

import json
import re
from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from decimal import Decimal
from functools import cache
from typing import Any

from botocore.loaders import Loader
from botocore.model import ListShape, ServiceModel, Shape, StringShape, StructureShape
from botocore.utils import parse_timestamp

from mturk_local.errors import CrowdError, ValidationError

_PYTHON_TYPES: dict[str, type | tuple[type, ...]] = {
    "structure": dict,
    "list": list,
    "string": str,
    "integer": int,
    "long": int,
    "boolean": bool,
    "timestamp": (int, float, str),
}

#: Levels of a request; the deepest of the model has nine.
_DEEPEST = 32
#: Longest numbers in the protocol, sign included.
_BITS = {"integer": 32, "long": 64}
#: Characters of JSON that databases cannot store.
_NO_TEXT = re.compile("[\x00\ud800-\udfff]")


@cache
def service_model() -> ServiceModel:
    return ServiceModel(Loader().load_service_model("mturk", "service-2"), "mturk")


@cache
def target_prefix() -> str:
    return str(service_model().metadata["targetPrefix"])


@cache
def operation_names() -> tuple[str, ...]:
    return tuple(service_model().operation_names)


def request_params(operation: str, body: Any) -> dict[str, Any]:
    """The parameters of a request, checked; timestamps become aware datetimes.

    A value of the wrong JSON type raises `SerializationException`; one that breaks a bound, a
    pattern or an enumeration raises `ValidationException`, which names all faults at once. Members
    that the model does not have are ignored, as Amazon's services do; null means absent.
    """
    shape = service_model().operation_model(operation).input_shape
    if not isinstance(shape, StructureShape):
        return {}
    params: dict[str, Any] = _typed(body, shape)
    faults = list(_faults(params, shape, ""))
    if faults:
        plural = "s" if len(faults) > 1 else ""
        raise ValidationError(
            f"{len(faults)} validation error{plural} detected: " + "; ".join(faults)
        )
    return params


def json_of(body: bytes) -> Any:
    """Parse the JSON of a request, which the API nests a few levels deep only."""
    try:
        # By default it accepts UTF-16, too, and halves of characters, which cannot be stored.
        value = json.loads(body.decode() or "{}")
    except (ValueError, RecursionError) as error:
        raise CrowdError(f"{error}", code="SerializationException") from None
    level = [value]
    for _ in range(_DEEPEST):
        level = [item for outer in level for item in _inner(outer)]
    if level:
        raise CrowdError("The body is nested too deeply", code="SerializationException")
    return value


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _typed(value: Any, shape: Shape) -> Any:
    if not _is_of(shape.type_name, value):
        raise CrowdError(
            f"{type(value).__name__} can not be converted to {shape.type_name}",
            code="SerializationException",
        )
    if isinstance(shape, StructureShape):
        return {
            name: _typed(value[name], member)
            for name, member in shape.members.items()
            if value.get(name) is not None
        }
    if isinstance(shape, ListShape):
        return [_typed(item, shape.member) for item in value]
    if shape.type_name == "timestamp":
        return _moment(value)
    return value


def _is_of(type_name: str, value: object) -> bool:
    # In Python a bool is an int; on the wire it is not.
    if isinstance(value, bool):
        return type_name == "boolean"
    if isinstance(value, int) and type_name in _BITS:
        return value.bit_length() < _BITS[type_name]
    if isinstance(value, str):
        return type_name in {"string", "timestamp"} and not _NO_TEXT.search(value)
    return isinstance(value, _PYTHON_TYPES[type_name])


def _moment(value: float | str) -> datetime:
    try:
        moment = parse_timestamp(value)  # type: ignore[arg-type]  # it also takes numbers
        return moment.astimezone(UTC) if moment.tzinfo else moment.replace(tzinfo=UTC)
    except (ValueError, OverflowError, OSError, RuntimeError):
        # For what is infinite botocore says that it knows no offset.
        raise CrowdError(f"{value!r} is not a timestamp", code="SerializationException") from None


def _faults(value: Any, shape: Shape, place: str) -> Iterator[str]:
    if isinstance(shape, StructureShape):
        for name in shape.required_members:
            if name not in value:
                yield _fault(None, _below(place, name), "Member must not be null")
        for name, item in value.items():
            yield from _faults(item, shape.members[name], _below(place, name))
    elif isinstance(shape, ListShape):
        for number, item in enumerate(value, start=1):
            yield from _faults(item, shape.member, f"{place}.{number}.member")
    elif shape.type_name == "string":
        yield from _text_faults(value, shape, place)
    elif shape.type_name in {"integer", "long"}:
        yield from _bound_faults(value, value, shape, place, "value")


def _text_faults(value: str, shape: Shape, place: str) -> Iterator[str]:
    yield from _bound_faults(value, len(value), shape, place, "length")
    if isinstance(shape, StringShape) and shape.enum and value not in shape.enum:
        allowed = ", ".join(shape.enum)
        yield _fault(value, place, f"Member must satisfy enum value set: [{allowed}]")
    pattern = shape.metadata.get("pattern")
    if pattern and not re.fullmatch(str(pattern), value):
        yield _fault(value, place, f"Member must satisfy regular expression pattern: {pattern}")


def _bound_faults(value: Any, size: int, shape: Shape, place: str, what: str) -> Iterator[str]:
    least, most = shape.metadata.get("min"), shape.metadata.get("max")
    if least is not None and size < least:
        yield _fault(value, place, f"Member must have {what} greater than or equal to {least}")
    if most is not None and size > most:
        yield _fault(value, place, f"Member must have {what} less than or equal to {most}")


def _below(place: str, name: str) -> str:
    """Return `place.name` with Amazon's lower-case first letter (HITId becomes `hITId`)."""
    small = name[0].lower() + name[1:]
    return f"{place}.{small}" if place else small


def _fault(value: Any, place: str, constraint: str) -> str:
    quoted = "null" if value is None else f"'{value}'"
    return f"Value {quoted} at '{place}' failed to satisfy constraint: {constraint}"


def reply_body(operation: str, reply: dict[str, Any]) -> dict[str, Any]:
    """`reply` as JSON values: timestamps as seconds since 1970, absent members left out.

    A member that the model does not have is a fault of ours and raises `KeyError`.
    """
    shape = service_model().operation_model(operation).output_shape
    body: dict[str, Any] = _plain(reply, shape) if isinstance(shape, StructureShape) else {}
    return body


def _plain(value: Any, shape: Shape) -> Any:
    if isinstance(shape, StructureShape):
        return {
            name: _plain(item, shape.members[name])
            for name, item in value.items()
            if item is not None
        }
    if isinstance(shape, ListShape):
        return [_plain(item, shape.member) for item in value]
    if shape.type_name == "timestamp":
        # Decimal keeps the milliseconds exact on the way to the wire.
        return float(Decimal(value.timestamp()).quantize(Decimal("0.001")))
    return value
