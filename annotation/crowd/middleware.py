"""Keeps requests from waiting for the crowd service, which may live in the same process."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from annotation.crowd.turns import inside_request


class BoundCallsMiddleware:
    """Lets requests take turns at calling the crowd service, see `annotation.crowd.turns`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with inside_request():
            return self._get_response(request)
