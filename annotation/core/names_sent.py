"""Check of the names in query strings, forms and bodies.

An unknown name, or a repeated one of which only one value is read, would be ignored silently:
`?dry_run=true` instead of a member of the body would pay what was only to be tried.
"""

from collections.abc import Collection, Iterable, Mapping
from typing import Any

from rest_framework.exceptions import ErrorDetail

from annotation.core.parameters import ParametersError, nearest, unknown_name


def check_names(
    values: Mapping[str, Any], known: Collection[str], several: Collection[str] = ()
) -> None:
    """Raise `ParametersError` for a name that is not `known`, or that is sent more than once.

    `several` are those that may have several values.
    """
    errors: dict[str, list[ErrorDetail]] = {}
    for name in values:
        times = len(values.getlist(name)) if hasattr(values, "getlist") else 1
        if name not in known:
            errors[name] = [unknown_name(name, known)]
        elif times > 1 and name not in several:
            errors[name] = [repeated(times)]
    if errors:
        raise ParametersError(errors)


def chosen(values: Mapping[str, Any], name: str, choices: Iterable[str]) -> str:
    """Return the choice that a request names, "" where it names none; refuse other values."""
    value: str = values.get(name, "")
    known = list(choices)
    if value and value not in known:
        wrong = f"{value!r} is not a choice here; {nearest(value, known)}"
        raise ParametersError({name: [ErrorDetail(wrong, code="invalid_choice")]})
    return value


def repeated(times: int) -> ErrorDetail:
    """Return the error of a name that is sent more than once."""
    return ErrorDetail(f"It is sent {times} times; send it once.", code="repeated")
