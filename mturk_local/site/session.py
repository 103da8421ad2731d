"""Sessions of the annotators' site: a signed cookie, without a table.

A second cookie identifies the browser, to which a panel's participant is bound.
"""

import hashlib
import secrets
from collections.abc import Callable
from datetime import datetime
from functools import wraps
from typing import Any, Concatenate, NamedTuple, ParamSpec

from django.conf import settings
from django.db.models import F
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache

from mturk_local.models import Assignment, Worker
from mturk_local.site.moment import moment

COOKIE = "annotator"
_SALT = "crowd-service.session"
#: Where annotators type; on other pages they press buttons.
_TYPED_ON = ("crowd-write", "crowd-test")
_FOURTEEN_DAYS = 14 * 86_400
_BROWSER_COOKIE = "annotator-browser"
#: What was typed in a form that was sent too late: `kept_forms`.
FORM_COOKIE = "annotator-form"
_BROWSER_SALT = "crowd-service.browser"
#: As long as browsers keep a cookie at most.
_FOUR_HUNDRED_DAYS = 400 * 86_400

Arguments = ParamSpec("Arguments")


class Visit(NamedTuple):
    """A request of a signed-in worker: who, and the service's time."""

    worker: Worker
    now: datetime


Page = Callable[Concatenate[HttpRequest, Visit, Arguments], HttpResponse]


def worker_page(view: Page[Arguments]) -> Callable[Concatenate[HttpRequest, Arguments], Any]:
    """A page for signed-in workers; others are asked to sign in. The view also gets the `Visit`.

    If the session ended while a form was open, a page says what became of it.
    """

    @never_cache
    @wraps(view)
    def page(
        request: HttpRequest, /, *args: Arguments.args, **kwargs: Arguments.kwargs
    ) -> HttpResponse:
        worker = signed_in(request)
        if worker is None:
            return (
                redirect("crowd-sign-in") if request.method != "POST" else show_signed_out(request)
            )
        return view(request, Visit(worker, moment()), *args, **kwargs)

    return page


def show_signed_out(request: HttpRequest) -> HttpResponse:
    """The page of a form that was sent after the session had ended."""
    way_in = _("To go on, open the link again by which you came, or sign in with your name.")
    context = {
        "title": _("You are not signed in any more"),
        "text": f"{answer_stored(request)} {way_in}".strip(),
        "is_signed_out": True,
        **typed_in(request),
    }
    return render(request, "mturk_local/message.html", context, status=403)


def typed_in(request: HttpRequest) -> dict[str, Any]:
    """Return the text of a form that was refused, and where it is kept, for its page.

    `back` is the address of the page that shows it again, once; "" if it is too long for a cookie.
    """
    match = request.resolver_match
    is_typed = match is not None and match.url_name in _TYPED_ON
    kept = getattr(request, "kept_form", None)  # set by the middleware, of annotators' pages
    # Buttons are pressed again by people who are here; who is not comes back to other tasks.
    may_wait = is_typed or signed_in(request) is not None
    if not kept:
        return {}
    is_kept = may_wait and request.keep_form()  # type: ignore[attr-defined]
    typed = [value for _name, value in kept.typed] if is_typed else []
    return {"typed": "\n\n".join(typed), "back": kept.page if is_kept else ""}


def answer_stored(request: HttpRequest) -> str:
    """Return the notice that the answer to the page's task is stored; "" where it is not."""
    match = request.resolver_match
    assignment_id = match.kwargs.get("assignment_id", "") if match else ""
    answers = Assignment.objects.filter(assignment_id=assignment_id, submitted_at__isnull=False)
    return _("Your answer to this task is stored.") if answers.exclude(answer="").exists() else ""


def signed_in(request: HttpRequest) -> Worker | None:
    value = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=_FOURTEEN_DAYS)
    worker, _colon, session = (value or "").partition(":")
    if not session:
        return None
    return (
        Worker.objects.filter(pk=int(worker), session=int(session), active=True)
        .exclude(valid_until__lte=timezone.now())
        .first()
    )


def worker_named(request: HttpRequest) -> str:
    """Return the number of the worker whose session the browser has or had; "" without one."""
    value = request.get_signed_cookie(COOKIE, default="", salt=_SALT, max_age=_FOURTEEN_DAYS)
    return (value or "").partition(":")[0]


def sign_in(response: HttpResponse, worker: Worker) -> None:
    response.set_signed_cookie(
        COOKIE,
        f"{worker.pk}:{worker.session}",
        salt=_SALT,
        max_age=_FOURTEEN_DAYS,
        path=reverse("crowd-home"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def browser_of(request: HttpRequest) -> str:
    """The browser's identity: a random number of its cookie, new if it has none."""
    held = request.get_signed_cookie(_BROWSER_COOKIE, default="", salt=_BROWSER_SALT)
    return held or secrets.token_hex(16)


def browser_digest(browser: str) -> str:
    """Return the stored digest of a browser: readers of the database cannot impersonate it."""
    return hashlib.sha256(browser.encode()).hexdigest()


def remember_browser(response: HttpResponse, browser: str) -> None:
    """Store the browser's identity in its cookie."""
    response.set_signed_cookie(
        _BROWSER_COOKIE,
        browser,
        salt=_BROWSER_SALT,
        max_age=_FOUR_HUNDRED_DAYS,
        path=reverse("crowd-home"),
        secure=settings.SESSION_COOKIE_SECURE,
        httponly=True,
        samesite="Lax",
    )


def forget(response: HttpResponse) -> None:
    """Leave nothing in the browser of somebody who was erased."""
    for cookie in (COOKIE, _BROWSER_COOKIE, FORM_COOKIE):
        response.delete_cookie(cookie, path=reverse("crowd-home"), samesite="Lax")


def sign_out(request: HttpRequest, response: HttpResponse) -> None:
    """End every session of the signed-in worker, so that a copied cookie is useless."""
    if worker := signed_in(request):
        Worker.objects.filter(pk=worker.pk).update(session=F("session") + 1)
    for cookie in (COOKIE, FORM_COOKIE):
        response.delete_cookie(cookie, path=reverse("crowd-home"), samesite="Lax")
