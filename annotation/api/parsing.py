"""Bodies of calls: JSON without repeated members, nested no deeper than the API accepts."""

import codecs
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import IO, Any, cast

from django.conf import settings
from rest_framework.exceptions import ParseError, ValidationError
from rest_framework.parsers import JSONParser
from rest_framework.utils import json

from annotation.core.names_sent import repeated

_DEEPEST = 32


class BoundedJSONParser(JSONParser):
    """Refuses bodies nested so deeply that reading or walking them would fail.

    It also refuses two members of one name: of two amounts, only one would be paid.
    """

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,  # noqa: ARG002 - the base class says so
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        encoding = (parser_context or {}).get("encoding", settings.DEFAULT_CHARSET)
        try:
            value: dict[str, Any] = json.load(
                cast("IO[str]", codecs.getreader(encoding)(stream)),
                parse_constant=json.strict_constant,
                object_pairs_hook=_members,
            )
        except RecursionError:
            raise _too_deep() from None
        except ValueError as error:
            raise ParseError(f"JSON parse error - {error}") from None
        level: list[Any] = [value]
        for _ in range(_DEEPEST):
            level = [item for outer in level for item in _inner(outer)]
        if level:
            raise _too_deep()
        return value


def _members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    members = dict(pairs)
    if len(members) < len(pairs):
        times = Counter(name for name, _ in pairs)
        raise ValidationError({name: [repeated(n)] for name, n in times.items() if n > 1})
    return members


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_deep() -> ParseError:
    return ParseError(f"The body is nested deeper than {_DEEPEST} levels.")
