"""Mappings and lists as people type them in one line: `query_id=task,label=answer`; or as JSON."""

import json
import shlex
from collections.abc import Mapping, Sequence

from ...errors import InputError


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


def mapping_option(option: str, mapping: Mapping[str, str], *, last: bool) -> str:
    """`--labels Female=f` as it can be typed in a shell and is read as `mapping` again."""
    typed = ",".join(f"{name}={value}" for name, value in mapping.items())
    return _option(option, typed, dict(mapping), typed_as=_read(typed, last=last))


def names_option(option: str, names: Sequence[str]) -> str:
    """`--people ann,bob` as it can be typed in a shell and is read as `names` again."""
    typed = ",".join(names)
    return _option(option, typed, list(names), typed_as=list(read_names(typed)))


def _option(option: str, typed: str, meant: object, *, typed_as: object) -> str:
    if typed_as != meant or not typed.isprintable():
        typed = json.dumps(meant, ensure_ascii=not typed.isprintable())
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
