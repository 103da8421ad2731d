"""A session opened by a password alone, of an account with a second factor, opens nothing yet.

The signal of signing in marks the session, whichever page, link or admin site signed somebody in;
giving a code, or turning the second factor on, takes the mark away.
"""

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import AnonymousUser, User
from django.contrib.auth.signals import user_logged_in
from django.dispatch import receiver
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from annotation.accounts.queries.second_factor import has_second_factor, needs_second_factor

_MARK = "lacks-second-factor"
#: Pages for whoever has not given a code yet; those of annotators know no accounts of the site.
_OPEN = {"second-factor", "second-factor-on", "sign-in", "sign-out", "healthz", "readyz"}


class SecondFactorMiddleware:
    """Leads a marked session to the page that asks for a code, whatever it asks for."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self._get_response(request)

    def process_view(self, request: HttpRequest, *_view: Any) -> HttpResponseBase | None:
        match = request.resolver_match
        name = (match and match.url_name) or ""
        if name in _OPEN or name.startswith("crowd-") or not lacks_second_factor(request):
            return None
        if request.path.startswith("/api/"):
            request.user = AnonymousUser()
            return None
        there = {"next": request.get_full_path()} if request.method in ("GET", "HEAD") else {}
        return redirect(f"{reverse('second-factor')}?{urlencode(there)}")


def lacks_second_factor(request: HttpRequest) -> bool:
    """Whether the session has yet to give a code."""
    return _MARK in request.session


def second_factor_passed(request: HttpRequest) -> None:
    """The session is signed in now; its key is a new one."""
    request.session.pop(_MARK, None)
    request.session.cycle_key()


@receiver(user_logged_in)
def _mark(request: HttpRequest, user: User, **_signal: Any) -> None:
    if has_second_factor(user=user) or needs_second_factor(user=user):
        request.session[_MARK] = True
