"""Mappings and lists as people type them in one line: `query_id=task,label=answer`; or as JSON."""

import json
import shlex
from collections.abc import Mapping

from ...errors import InputError
from ...remedies import Remedy, Value

#: Options that are called otherwise than the argument in Python.
_OPTIONS = {"layout": "format"}


def read_mapping(text: str, *, last: bool) -> dict[str, str]:
    """Parse names and values separated by commas.

    An `=` in a name needs `last`, in a value the opposite. A JSON object of texts says what commas
    cannot: `{"a, b": "f"}`. Raises `InputError` for a part without `=`, and for a repeated name.
    """
    if (held := _json(text)) is not None and isinstance(held, dict):
        return {str(name).strip(): str(value).strip() for name, value in held.items()}
    mapping: dict[str, str] = {}
    for part in text.split(",") if text else ():
        before, equals, after = part.rpartition("=") if last else part.partition("=")
        name = before.strip()
        if not equals or not name:
            raise InputError(
                f"{part[:60]!r} is not of the form NAME=VALUE",
                remedy='What holds a comma is written as JSON: \'{"NAME": "VALUE"}\'.',
            )
        if name in mapping:
            raise InputError(f"{name[:60]!r} is mapped twice")
        mapping[name] = after.strip()
    return mapping


def read_names(text: str) -> tuple[str, ...]:
    """Parse names separated by commas, or a JSON array of them, each once."""
    held = _json(text)
    names = map(str, held) if isinstance(held, list) else text.split(",")
    return tuple(dict.fromkeys(name.strip() for name in names if name.strip()))


def as_options(remedy: Remedy) -> str:
    """The remedy as it can be typed in a shell and is read again.

    >>> as_options(Remedy("for two people", {"people": ("ann", "bob")}))
    '--people ann,bob'
    """
    return " ".join(
        _option(_OPTIONS.get(name, name), value_text(name, value))
        for name, value in remedy.arguments.items()
    )


def option_names(remedy: Remedy) -> set[str]:
    """The options that `as_options` names."""
    return {f"--{_OPTIONS.get(name, name)}" for name in remedy.arguments}


def value_text(name: str, value: Value) -> str:
    """The value of an argument as one text, which `read_mapping` and `read_names` read."""
    if isinstance(value, str):
        return value
    if isinstance(value, Mapping):
        meant: object = dict(value)
        text = ",".join(f"{key}={to}" for key, to in value.items())
        is_read = _read(text, last=name == "labels") == meant
    else:
        meant, text = list(value), ",".join(value)
        is_read = list(read_names(text)) == meant
    if is_read and text.isprintable():
        return text
    return json.dumps(meant, ensure_ascii=not text.isprintable())


def _option(option: str, typed: str) -> str:
    quoted = shlex.quote(typed)
    # What begins with a dash would be read as an option of its own.
    return f"--{option}={quoted}" if typed.startswith("-") else f"--{option} {quoted}"


def _read(typed: str, *, last: bool) -> dict[str, str] | None:
    try:
        return read_mapping(typed, last=last)
    except InputError:
        return None


def _json(text: str) -> object:
    if not text.lstrip().startswith(("{", "[")):
        return None
    try:
        held: object = json.loads(text)
    except ValueError:
        return None
    return held
