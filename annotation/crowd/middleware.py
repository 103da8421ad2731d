"""Keeps requests from waiting for the crowd service, which may live in the same process."""

from collections.abc import Callable

from django.http import HttpRequest, HttpResponseBase

from annotation.crowd.client import inside_request


class BoundCallsMiddleware:
    """Lets one request at a time call the crowd service; a second one is refused at once.

    Requests that wait for the site's own service keep the threads that it needs to reply. What
    calls out is a job; this bound holds for whatever is none.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponseBase]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponseBase:
        with inside_request():
            return self._get_response(request)
