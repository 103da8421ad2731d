"""Content negotiation of API calls."""

from collections.abc import Iterable
from typing import Any

from rest_framework.negotiation import BaseContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer
from rest_framework.request import Request


class OneFormNegotiation(BaseContentNegotiation):
    """Each address has one form, whatever `Accept` says; a parser goes by the content type."""

    def select_renderer(
        self,
        request: Request,  # noqa: ARG002 - the base class says so
        renderers: Iterable[BaseRenderer],
        format_suffix: str | None = None,  # noqa: ARG002 - likewise
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)

    def select_parser(self, request: Request, parsers: Iterable[BaseParser]) -> Any:
        media_type = (request.content_type or "").partition(";")[0].strip().lower()
        return next((parser for parser in parsers if parser.media_type == media_type), None)
