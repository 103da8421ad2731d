"""Before every view: policies of pages, their language, one encoding, and the origin of tasks."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.urls import reverse
from django.utils import translation

from mturk_local.security import OWN_CONTENT_ONLY

#: Annotators' pages show pages of requesters, which may come from other sites, in frames.
_ANNOTATORS = "/annotate/"
#: Views whose answer to the form of such a page is shown in its frame.
_IN_THE_FRAME = "/annotate/submit/"
_SIGNED = "/mturk/"


class AnnotatorsPolicy:
    """The policy of annotators' pages: only our own code runs, except in frames."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self._get_response(request)
        if request.path.startswith(_ANNOTATORS):
            # The page of a task brings a policy of its own.
            response.headers.setdefault("Content-Security-Policy", _policy_of(request.path))
        return response


def _policy_of(path: str) -> str:
    """The policy of the page at `path`."""
    if path.startswith(_IN_THE_FRAME):
        return f"{OWN_CONTENT_ONLY}; frame-src 'none'"
    sources = ["'self'", "https:", settings.MTURK_LOCAL_TASK_ORIGIN]
    if settings.MTURK_LOCAL_ALLOW_HTTP_QUESTIONS:
        sources.append("http:")
    return (
        f"{OWN_CONTENT_ONLY}; frame-src {' '.join(filter(None, sources))}; frame-ancestors 'none'"
    )


class AnnotatorsLanguage:
    """Annotators' pages are in the language that they chose, or else in their browser's."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not request.path.startswith(_ANNOTATORS):
            return self._get_response(request)
        with translation.override(translation.get_language_from_request(request)):
            return self._get_response(request)


class OneEncoding:
    """Accepts text in UTF-8 only: Django looks a request's encoding up among all codecs of Python.

    Some of them are not for text, and would cause a fault.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        named = (request.content_params or {}).get("charset", "utf-8").lower()
        if named not in ("utf-8", "utf8", "us-ascii"):
            if not request.path.startswith(_SIGNED):
                return HttpResponse("Send text in UTF-8.", status=415, content_type="text/plain")
            # The crowd service always reads UTF-8, and refuses in the terms of its protocol.
            request.encoding = "utf-8"
        return self._get_response(request)


class TaskOriginMiddleware:
    """On the origin of `MTURK_LOCAL_TASK_ORIGIN` there are tasks and nothing else.

    A requester's page runs there; whatever it manages to ask of its own origin, it finds neither
    the annotators' pages nor the platform's.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        origin = settings.MTURK_LOCAL_TASK_ORIGIN
        if origin and request.get_host() == urlsplit(origin).netloc:
            home = reverse("crowd-home")
            if not request.path.startswith((f"{home}task/", f"{home}submit/")):
                return HttpResponseNotFound("There are only tasks here.")
        return self._get_response(request)
