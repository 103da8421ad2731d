"""The body of a call: JSON that is nested no deeper than anything that the API takes."""

from collections.abc import Iterable, Mapping
from typing import IO, Any

from rest_framework.exceptions import ParseError
from rest_framework.parsers import JSONParser

_DEEPEST = 32


class BoundedJSONParser(JSONParser):
    """Refuses what is nested so deeply that reading it, or going through it, would fail."""

    def parse(
        self,
        stream: IO[bytes],
        media_type: str | None = None,
        parser_context: Mapping[str, Any] | None = None,
    ) -> dict[str, Any]:
        try:
            value: dict[str, Any] = super().parse(stream, media_type, parser_context)
        except RecursionError:
            raise _too_deep() from None
        level: list[Any] = [value]
        for _ in range(_DEEPEST):
            level = [item for outer in level for item in _inner(outer)]
        if level:
            raise _too_deep()
        return value


def _inner(value: Any) -> Iterable[Any]:
    if isinstance(value, dict):
        return value.values()
    return value if isinstance(value, list) else ()


def _too_deep() -> ParseError:
    return ParseError(f"The body is nested deeper than {_DEEPEST} levels.")
