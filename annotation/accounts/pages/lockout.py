"""What slows down whoever guesses passwords or the links of invitations.

django-axes counts per name and address: who fails too often waits, and nobody else does, neither
the owner of the name nor the others behind the same proxy.
"""

from typing import Any

from axes.handlers.proxy import AxesProxyHandler
from axes.helpers import get_client_ip_address, get_client_username, get_cool_off
from axes.models import AccessAttempt
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.utils import timezone

#: Under this name, which no account can have, axes counts links that are not (or no longer) ours.
_LINKS = {"username": "an invitation's link"}


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
    attempts = AccessAttempt.objects.filter(
        username=get_client_username(request, credentials),
        ip_address=get_client_ip_address(request),
    )
    latest = attempts.order_by("-attempt_time").first()
    pause = get_cool_off()
    if latest is None or pause is None:
        return 0
    return max(int((latest.attempt_time + pause - timezone.now()).total_seconds()) + 1, 1)
