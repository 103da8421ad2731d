"""Who is signed in: a signed cookie of the annotators' site, without a table of sessions."""

from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse
from django.utils import timezone
from django.views.decorators.cache import never_cache

from annotation.mturk_local.models import Worker
from annotation.mturk_local.site.moment import moment

_COOKIE = "annotator"
_SALT = "crowd-service.session"
_FOURTEEN_DAYS = 14 * 86_400

Arguments = ParamSpec("Arguments")


class Visit(NamedTuple):
    """A request of a signed-in worker: who, and the service's time."""

    worker: Worker
    now: datetime


Page = Callable[Concatenate[HttpRequest, Visit, Arguments], HttpResponse]


def worker_page(view: Page[Arguments]) -> Callable[Concatenate[HttpRequest, Arguments], Any]:
    """A page for signed-in workers; others are asked to sign in. The view also gets the `Visit`."""

    @never_cache
    @wraps(view)
    def page(
        request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> HttpResponse:
        worker = signed_in(request)
        if worker is None:
            return redirect("crowd-sign-in")
        return view(request, Visit(worker, moment()), *args, **kwargs)

    return page


def signed_in(request: HttpRequest) -> Worker | None:
    value = request.get_signed_cookie(_COOKIE, default="", salt=_SALT, max_age=_FOURTEEN_DAYS)
    worker, _, session = (value or "").partition(":")
    if not session:
        return None
    return (
        Worker.objects.filter(pk=int(worker), session=int(session), active=True)
        .exclude(valid_until__lte=timezone.now())
        .first()
    )


def sign_in(response: HttpResponse, worker: Worker) -> None:
    response.set_signed_cookie(
        _COOKIE,
        f"{worker.pk}:{worker.session}",
        salt=_SALT,
        max_age=_FOURTEEN_DAYS,
        path=reverse("crowd-home"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def sign_out(response: HttpResponse) -> None:
    response.delete_cookie(_COOKIE, path=reverse("crowd-home"), samesite="Lax")
