"""Filters of participants, as people write them and as Prolific takes them. Pure.

Prolific's own list says which there are: languages, countries, approval rates, earlier studies,
groups of participants to admit or to exclude.
"""

import difflib
import re
from collections.abc import Sequence
from typing import Any

from metrics.errors import InputError

_RANGE = re.compile(r"(-?\d+(?:\.\d+)?)\s*\.\.\s*(-?\d+(?:\.\d+)?)")
#: An id of a participant, study or group; no list has these.
_ID = re.compile(r"[0-9a-f]{24}")


def read_filters(text: str, known: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """A filter of each line: `fluent-languages: English, German` or `approval_rate: 95..100`.

    `known` is Prolific's list. Raises `InputError` for what is not on it.
    """
    by_id = {str(entry.get("filter_id")): entry for entry in known}
    filters: list[dict[str, Any]] = []
    for number, line in enumerate(text.splitlines(), 1):
        if not line.strip():
            continue
        name, colon, values = (part.strip() for part in line.partition(":"))
        if not colon or not values:
            raise InputError(
                f"line {number}: {line.strip()[:60]!r} is not a filter.",
                remedy="Write fluent-languages: English, or approval_rate: 95..100.",
            )
        if name not in by_id:
            near = ", ".join(difflib.get_close_matches(name, by_id, n=3, cutoff=0.3))
            raise InputError(
                f"line {number}: Prolific has no filter {name[:60]!r}.",
                remedy=f"Near it are: {near}." if near else "Its list is on its page Filters.",
            )
        if any(entry["filter_id"] == name for entry in filters):
            raise InputError(f"line {number}: {name} occurs twice.")
        of_type = _range if by_id[name].get("type") == "range" else _selection
        filters.append({"filter_id": name, **of_type(number, values, by_id[name])})
    return filters


def _range(number: int, values: str, known: dict[str, Any]) -> dict[str, Any]:
    matched = _RANGE.fullmatch(values)
    if not matched:
        raise InputError(
            f"line {number}: {values[:60]!r} is not a range.", remedy="Write it as 95..100."
        )
    lower, upper = (float(end) if "." in end else int(end) for end in matched.groups())
    least, most = known.get("min"), known.get("max")
    is_below = isinstance(least, int | float) and lower < least
    is_above = isinstance(most, int | float) and upper > most
    if lower > upper or is_below or is_above:
        raise InputError(
            f"line {number}: {values} is not within {least}..{most}.",
            remedy="Give the lower number first.",
        )
    return {"selected_range": {"lower": lower, "upper": upper}}


def _selection(number: int, values: str, known: dict[str, Any]) -> dict[str, Any]:
    choices = {str(key): str(word) for key, word in (known.get("choices") or {}).items()}
    by_word = {word.casefold(): key for key, word in choices.items()}
    chosen = []
    for value in (part.strip() for part in values.split(",")):
        key = value if value in choices else by_word.get(value.casefold())
        if key is None and not choices and _ID.fullmatch(value):
            key = value
        if key is None:
            near = difflib.get_close_matches(value, choices.values(), n=3, cutoff=0.3)
            some = ", ".join(near or list(choices.values())[:5])
            raise InputError(
                f"line {number}: {value[:60]!r} is not a choice of {known.get('filter_id')}.",
                remedy=f"Choices are: {some}." if some else "Give ids of 24 characters.",
            )
        chosen.append(key)
    return {"selected_values": list(dict.fromkeys(chosen))}
