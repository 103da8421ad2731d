"""Throttling of guesses at passwords and at the links of invitations.

django-axes counts per name and address, so that neither the name's owner at another address nor
others behind the same proxy have to wait; and per address, against one password tried on many
names. A guess at a password counts before it is tried, so that simultaneous guesses are limited
like successive ones; the right password removes its count.
"""

from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.backends import AxesStandaloneBackend
from axes.exceptions import AxesBackendPermissionDenied
from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import (
    get_client_ip_address,
    get_client_username,
    get_cool_off,
    get_credentials,
    get_failure_limit,
)
from axes.models import AccessAttempt
from django.db import transaction
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

#: Under this name, which no account can have, axes counts links that are not (or no longer) ours.
_LINKS = {"username": "an invitation's link"}
#: Failures allowed to an address, as a multiple of those allowed to one name from it.
_NAMES_AT_AN_ADDRESS = 10
#: The attribute of a request with the number of failures if its guess is wrong.
_COUNTED = "failures_with_this_guess"


class FailuresByAddress(AxesDatabaseHandler):  # type: ignore[misc] # axes has no types
    """Counts the failures of a name from an address, and a part of all failures from it.

    Signing in resets only that name's failures: having an account does not help to guess others.
    """

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        by_name: int = super().get_failures(request, credentials)
        recent = AccessAttempt.objects.filter(
            ip_address=get_client_ip_address(request),
            attempt_time__gte=get_cool_off_threshold(request),
        )
        return max(by_name, _failures(recent) // _NAMES_AT_AN_ADDRESS)

    def user_login_failed(
        self, sender: Any, credentials: dict[str, Any], request: Any = None, **signal: Any
    ) -> None:
        """Count a failure; a guess that `GuessesCount` has counted is only checked for a lock."""
        failures = getattr(request, _COUNTED, None)
        if failures is None:
            super().user_login_failed(sender, credentials, request, **signal)
        elif failures >= get_failure_limit(request, credentials):
            request.axes_locked_out, request.axes_credentials = True, credentials


class GuessesCount(AxesStandaloneBackend):  # type: ignore[misc] # axes has no types
    """Refuses people who have to wait, and counts all others before checking their password."""

    def authenticate(
        self,
        request: Any,
        username: str | None = None,
        password: str | None = None,
        **more: Any,
    ) -> None:
        super().authenticate(request, username, password, **more)
        credentials = get_credentials(username=username)
        # Counted and read in one statement, so that each of many simultaneous guesses has its own
        # number.
        with transaction.atomic():
            AxesProxyHandler.user_login_failed(__name__, credentials=credentials, request=request)
        failures = request.axes_failures_since_start
        setattr(request, _COUNTED, failures)
        request.axes_locked_out = False  # this guess is not wrong yet
        if failures > get_failure_limit(request, credentials):
            raise AxesBackendPermissionDenied(f"{failures} guesses came before this one")


def may_try_a_link(request: HttpRequest) -> bool:
    return bool(AxesProxyHandler.is_allowed(request, _LINKS))


def link_failed(request: HttpRequest) -> None:
    """Count a link that did not work; the last failure allowed leads to `locked_out`."""
    # Otherwise the link would be stored with the failure.
    request.axes_path_info = "/invites/"  # type: ignore[attr-defined] # where axes looks
    AxesProxyHandler.user_login_failed(__name__, credentials=_LINKS, request=request)


def may_request(request: HttpRequest) -> bool:
    """Count a request like a link that did not work, and return whether it may be answered."""
    if not may_try_a_link(request):
        return False
    link_failed(request)
    return not getattr(request, "axes_locked_out", False)


def locked_out(
    request: HttpRequest,
    _response: HttpResponse | None = None,
    credentials: dict[str, Any] | None = None,
) -> HttpResponse:
    """Render the page after too many failures, with the time to wait."""
    seconds = _seconds_left(request, credentials or _LINKS)
    minutes = -(-seconds // 60)
    response = render(request, "web/locked_out.html", {"minutes": minutes}, status=429)
    response["Retry-After"] = str(seconds)
    return response


def _seconds_left(request: HttpRequest, credentials: dict[str, Any]) -> int:
    attempts = AccessAttempt.objects.filter(ip_address=get_client_ip_address(request))
    by_name = attempts.filter(username=get_client_username(request, credentials))
    is_name_locked = _failures(by_name) >= get_failure_limit(request, credentials)
    latest = (by_name if is_name_locked else attempts).order_by("-attempt_time").first()
    pause = get_cool_off()
    if latest is None or pause is None:
        return 0
    return max(int((latest.attempt_time + pause - timezone.now()).total_seconds()) + 1, 1)


def _failures(attempts: QuerySet[AccessAttempt]) -> int:
    return attempts.aggregate(total=Sum("failures_since_start"))["total"] or 0
