"""Headers that every page carries, unless it brings a stricter policy of its own."""

from collections.abc import Callable
from ipaddress import ip_address
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse
from django.utils.crypto import salted_hmac

_OWN = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
    "font-src 'self'; connect-src 'self'; form-action 'self'; base-uri 'none'; "
)
POLICY = f"{_OWN}frame-src 'self'; frame-ancestors 'none'"
#: Annotators' pages show pages of requesters, which may come from other sites, in frames.
_ANNOTATORS = "/annotate/"
#: What answers the form of such a page is shown in its frame.
_IN_THE_FRAME = "/annotate/submit/"


class SecurityHeaders:
    """Nothing on the requester's pages runs, or is sent, that is not ours: no inline scripts."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        # The page of a task brings a policy of its own.
        policy = _with_hashes(_policy_of(request.path), response)
        response.headers.setdefault("Content-Security-Policy", policy)
        response.headers.setdefault(
            "Permissions-Policy", "camera=(), geolocation=(), microphone=(), payment=()"
        )
        return response


class OneEncoding:
    """Takes text in UTF-8 only: what a request names is looked up among all codecs of Python.

    Some of them are none for text, so that reading a form or a body by them is a fault.
    """

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        named = (request.content_params or {}).get("charset", "utf-8").lower()
        if named not in ("utf-8", "utf8", "us-ascii"):
            return HttpResponse("Send text in UTF-8.", status=415, content_type="text/plain")
        return self._get_response(request)


def _policy_of(path: str) -> str:
    """The policy of the page at `path`."""
    if path.startswith(_IN_THE_FRAME):
        return f"{_OWN}frame-src 'none'"
    if not path.startswith(_ANNOTATORS):
        return POLICY
    shown = ["'self'", "https:", settings.MTURK_LOCAL_TASK_ORIGIN]
    if settings.MTURK_LOCAL_ALLOW_HTTP_QUESTIONS:
        shown.append("http:")
    return f"{_OWN}frame-src {' '.join(filter(None, shown))}; frame-ancestors 'none'"


def _with_hashes(policy: str, response: HttpResponse) -> str:
    """`policy`, and the scripts and styles that the view allows inside the page by their hashes.

    A view that shows the page of a HIT inside its own sets `inline_hashes`: source by directive.
    """
    for directive, source in getattr(response, "inline_hashes", {}).items():
        policy = policy.replace(f"{directive} 'self'", f"{directive} 'self' {source}")
    return policy


def client_address(request: HttpRequest) -> str | None:
    """The address that a request comes from, as far as it can be trusted; None if it has none.

    A proxy of our own appends whom it speaks for: only its entry, the last one, is not forged.
    """
    address = request.META.get("REMOTE_ADDR", "")
    if settings.TRUST_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2].strip()
    try:
        return str(ip_address(address))
    except ValueError:
        return None


def name_tried(request: HttpRequest, credentials: dict[str, Any] | None = None) -> str:
    """What stands for a name in the table of failures: what was typed may be a password."""
    typed = (credentials or {}).get("username") or request.POST.get("username", "")
    return salted_hmac("fairpool.sign-in", str(typed), algorithm="sha256").hexdigest()


def client_name(_name: str, address: str | None, *_rest: object) -> str:
    """How the log names who failed to sign in: what was typed may be a password."""
    return str(address)
