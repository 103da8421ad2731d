"""Throttling of guesses at passwords and at the links of invitations.

django-axes counts per name and address, so that neither the owner of the name elsewhere nor the
others behind the same proxy have to wait; and per address, against one password for many names.
"""

from typing import Any

from axes.attempts import get_cool_off_threshold
from axes.handlers.database import AxesDatabaseHandler
from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import (
    get_client_ip_address,
    get_client_username,
    get_cool_off,
    get_failure_limit,
)
from axes.models import AccessAttempt
from django.db.models import QuerySet, Sum
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

#: Under this name, which no account can have, axes counts links that are not (or no longer) ours.
_LINKS = {"username": "an invitation's link"}
#: An address may fail so many times as often as one name from it.
_NAMES_AT_AN_ADDRESS = 10


class FailuresByAddress(AxesDatabaseHandler):  # type: ignore[misc] # axes has no types
    """Counts what one name failed from an address, and part of what all names failed from it.

    Signing in resets the name's failures only: an account of one's own does not help to guess.
    """

    def get_failures(self, request: HttpRequest, credentials: dict[str, Any] | None = None) -> int:
        by_name: int = super().get_failures(request, credentials)
        recent = AccessAttempt.objects.filter(
            ip_address=get_client_ip_address(request),
            attempt_time__gte=get_cool_off_threshold(request),
        )
        return max(by_name, _failures(recent) // _NAMES_AT_AN_ADDRESS)


def may_try_a_link(request: HttpRequest) -> bool:
    return bool(AxesProxyHandler.is_allowed(request, _LINKS))


def link_failed(request: HttpRequest) -> None:
    """Count a link that did not work; the last one allowed shows the page of `locked_out`."""
    # Stored with the failure would otherwise be the link.
    request.axes_path_info = "/invites/"  # type: ignore[attr-defined] # where axes looks
    AxesProxyHandler.user_login_failed(__name__, credentials=_LINKS, request=request)


def locked_out(
    request: HttpRequest,
    _response: HttpResponse | None = None,
    credentials: dict[str, Any] | None = None,
) -> HttpResponse:
    """The page for who failed too often: it says how long to wait."""
    seconds = _seconds_left(request, credentials or _LINKS)
    minutes = -(-seconds // 60)
    shown = render(request, "web/locked_out.html", {"minutes": minutes}, status=429)
    shown["Retry-After"] = str(seconds)
    return shown


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
