"""Answers that travel compressed: pages and the JSON of the API."""

from django.http import HttpRequest
from django.http.response import HttpResponseBase
from django.middleware.gzip import GZipMiddleware

_COMPRESSED = ("text/html", "application/json")


class CompressPages(GZipMiddleware):
    """Compress pages and JSON for browsers and programs that accept it.

    Django adds up to a hundred random bytes, so that the length of a page reveals little; a proxy
    adds none. Files are sent uncompressed, with their length.
    """

    def process_response(
        self, request: HttpRequest, response: HttpResponseBase
    ) -> HttpResponseBase:
        kind = response.headers.get("Content-Type", "")
        if response.streaming or not kind.startswith(_COMPRESSED):
            return response
        return super().process_response(request, response)
