"""An account that has or needs a second factor sees nothing in a session without one.

Giving a code, or turning the second factor on, marks the session. Each request checks whether the
account needs the mark: a permission to spend counts at once, also for people who are signed in.
"""

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.contrib.auth.models import AnonymousUser
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import reverse
from django.utils.http import urlencode

from annotation.accounts.queries.second_factor import has_second_factor, needs_second_factor

_PASSED = "second-factor-passed"
#: Pages open without a code. Annotators' pages do not use the site's accounts.
_OPEN = {"second-factor", "second-factor-on", "sign-in", "sign-out", "healthz", "readyz"}


class SecondFactorMiddleware:
    """Redirects each request of a session without a second factor to the page that asks for it."""

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
        kept = getattr(request, "kept_form", None)
        page = request.get_full_path() if request.method in ("GET", "HEAD") else kept and kept.page
        there = {"next": page} if page else {}
        response = redirect(f"{reverse('second-factor')}?{urlencode(there)}")
        # What was typed in a form waits for the page after the code.
        response.is_interruption = True  # type: ignore[attr-defined]
        return response


def lacks_second_factor(request: HttpRequest) -> bool:
    """Return whether the session needs a code, or the user has to turn codes on."""
    user, has_passed = request.user, _PASSED in request.session
    if not user.is_authenticated or (has_passed and not settings.SECOND_FACTOR_REQUIRED):
        return False
    if has_second_factor(user=user):
        return not has_passed
    return needs_second_factor(user=user)


def second_factor_passed(request: HttpRequest) -> None:
    """Mark the session as signed in, under a new key."""
    request.session[_PASSED] = True
    request.session.cycle_key()
