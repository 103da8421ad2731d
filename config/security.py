"""Headers that every page carries, unless it brings a stricter policy of its own."""

from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

from annotation.core.origin import Origin, origin
from mturk_local.security import OWN_CONTENT_ONLY

POLICY = f"{OWN_CONTENT_ONLY}; frame-src 'self'; frame-ancestors 'none'"


class SecurityHeaders:
    """The policy of requesters' pages: only our own code runs, without inline scripts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # Annotators' pages bring a policy of their own.
        policy = _with_hashes(POLICY, response)
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"
        )
        # The next user of the browser reads nothing of it; static files set their own lifetime.
        response.headers.setdefault("Cache-Control", "no-store")
        return response


class RememberOrigin:
    """Remembers where a request comes from, for the log of accounts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        def name() -> str:
            return str(request.user.get_username()) if request.user.is_authenticated else ""

        token = origin.set(Origin(client_address(request) or "", name))
        try:
            return self.get_response(request)
        finally:
            origin.reset(token)


def _with_hashes(policy: str, response: HttpResponse) -> str:
    """`policy`, and the scripts and styles that the view allows inside the page by their hashes.

    A view that shows the page of a HIT inside its own sets `inline_hashes`: source by directive.
    """
    for directive, source in getattr(response, "inline_hashes", {}).items():
        policy = policy.replace(f"{directive} 'self'", f"{directive} 'self' {source}")
    return policy


def client_address(request: HttpRequest) -> str | None:
    """Return the client's address, as far as it can be trusted; None if it has none.

    Our own proxy appends the client: only its entry, the last one, is not forged.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.TRUST_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2].strip()
    try:
        return str(ip_address(address))
    except ValueError:
        return None


def name_tried(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """Return a replacement for the name in the table of failures, as the text may be a password."""
    typed = (credentials or {}).get("username") or request.POST.get("username", "")
    return salted_hmac("fairpool.sign-in", str(typed), algorithm="sha256").hexdigest()


def client_name(_name: str, address: str | None, *_rest: object) -> str:
    """Return a replacement for the name in the log of a failed sign-in, as it may be a password."""
    return str(address)
