"""Keeps the origin that shows tasks apart from everything else."""

from collections.abc import Callable
from urllib.parse import urlsplit

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.urls import reverse


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
