"""Forms that were sent after their session had ended, kept until they are shown again.

The sign-in page that answers such a form holds it, signed: of people who are not signed in nothing
is stored. Once they are, it waits for the page of the form, which shows it once, filled in; nothing
is sent by itself. Passwords, codes and files are not kept. A form says whose page it was on, and
goes back to that account only.
"""

import time
from collections.abc import Callable
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from django.conf import settings
from django.core import signing
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.shortcuts import redirect
from django.template import Library
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import CsrfTokenNode
from django.urls import Resolver404, resolve, reverse
from django.utils.crypto import salted_hmac
from django.utils.datastructures import MultiValueDict
from django.utils.functional import SimpleLazyObject
from django.utils.html import format_html
from django.utils.http import url_has_allowed_host_and_scheme
from django.utils.safestring import SafeString

from config.filling import with_typed
from mturk_local.site.session import worker_named

#: The field of a sign-in page that holds a form, and the field of a form that says whose it is.
KEPT, BY = "kept", "by"
#: Fields that are not kept: what proves who somebody is, or that they agree, is given each time.
SECRETS = frozenset(
    {
        *("password", "password1", "password2", "old_password", "new_password1", "new_password2"),
        *("code", "response", "token", "key", "agreed", "csrfmiddlewaretoken", KEPT, BY),
    }
)
_SALT, _WAITING = "kept-form", "kept-form"
#: Seconds from the sending to the page that shows it again, and the largest form that is kept.
_LIFETIME, _LONGEST = 12 * 3_600, 1_000_000
#: Of annotators, and as long as browsers keep one.
_COOKIE, _LONGEST_COOKIE = "annotator-form", 3_500
_SIGN_IN = ("sign-in", "crowd-sign-in")

register = Library()


@dataclass(frozen=True)
class KeptForm:
    """A form as it was sent: to which address, from which page, by which account."""

    to: str
    page: str
    typed: list[list[str]]
    has_files: bool
    by: str

    @property
    def stored(self) -> dict[str, Any]:
        return asdict(self)

    @property
    def token(self) -> str:
        """The form as a sign-in page holds it; only this site can make one."""
        return signing.dumps(self.stored, salt=_SALT, compress=True)

    @property
    def values(self) -> QueryDict:
        """The typed fields, as the request had them."""
        values = QueryDict(mutable=True)
        for name, value in self.typed:
            values.appendlist(name, value)
        return values


def _kept_form(request: HttpRequest) -> KeptForm | None:
    """The form that the request sends, or that a sign-in page holds; None where there is none."""
    if request.method != "POST" or not _is_from_here(request):
        return None
    try:
        if _is_sign_in(request):
            return _read(request.POST.get(KEPT, ""))
        typed = [[n, v] for n, several in request.POST.lists() for v in several if n not in SECRETS]
        has_files = bool(request.FILES)
    except (SuspiciousOperation, BadRequest, UnreadablePostError):
        return None
    page = _page_of(request)
    is_nothing = not typed and not has_files and page == request.path
    if is_nothing or sum(len(name) + len(value) for name, value in typed) > _LONGEST:
        return None
    by = request.POST.get(BY, "") or (_account(request) if is_annotators(request) else "")
    return KeptForm(request.path, page, typed, has_files, by)


def _is_sign_in(request: HttpRequest) -> bool:
    return request.resolver_match is not None and request.resolver_match.url_name in _SIGN_IN


def _read(token: str) -> KeptForm | None:
    try:
        return KeptForm(**signing.loads(token, salt=_SALT, max_age=_LIFETIME))
    except signing.BadSignature:
        return None


def _is_from_here(request: HttpRequest) -> bool:
    """Return False for a form of another site, which may have filled it in."""
    origin = request.headers.get("Origin") or request.headers.get("Referer")
    return origin is None or _split(origin).netloc == request.get_host()


def _page_of(request: HttpRequest) -> str:
    """The address, on this site, of the page that the form was on."""
    parts = _split(request.headers.get("Referer", request.path))
    page = urlunsplit(("", "", parts.path, parts.query, ""))
    return page if url_has_allowed_host_and_scheme(page, None) else request.path


def _account(request: HttpRequest) -> str:
    """Return a digest of the account whose page it is; "" without one."""
    if is_annotators(request):
        who = worker_named(request) and f"worker {worker_named(request)}"
    else:
        user = getattr(request, "user", None)
        who = f"user {user.pk}" if user and user.is_authenticated else ""
    return salted_hmac(_SALT, who).hexdigest()[:20] if who else ""


def is_annotators(request: HttpRequest) -> bool:
    return request.path.startswith(reverse("crowd-home"))


def wait_for_page(request: HttpRequest, kept: KeptForm) -> bool:
    """Keep the form until its page is opened: in the session, of annotators in a cookie.

    Return False if it is another account's, or too long for a cookie.
    """
    if kept.by not in ("", _account(request)):
        return False
    if not is_annotators(request):
        request.session[_WAITING] = [kept.stored, time.time() + _LIFETIME]
        return True
    # Their pages ask nothing of the site's database.
    token = kept.token
    request.form_waiting = token  # type: ignore[attr-defined] # for the middleware
    return len(token) <= _LONGEST_COOKIE


def _waiting(request: HttpRequest) -> KeptForm | None:
    """The form that waits for the page of this request."""
    if request.method != "GET":
        return None
    kept: KeptForm | None = None
    if is_annotators(request):
        kept = _read(request.COOKIES.get(_COOKIE, ""))
    elif settings.SESSION_COOKIE_NAME in request.COOKIES and _WAITING in request.session:
        stored, until = request.session[_WAITING]
        kept = KeptForm(**stored) if time.time() < until else None
    is_here = kept is not None and request.path == urlsplit(kept.page).path
    return kept if kept and is_here and kept.by in ("", _account(request)) else None


class KeepForms:
    """Keeps what was typed over a sign-in, and shows it again on the page of its form."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        lazy: Any = SimpleLazyObject(lambda: _kept_form(request))
        request.kept_form = lazy  # type: ignore[attr-defined] # for views and templates
        response = self._respond(request, lazy)
        token = getattr(request, "form_waiting", None)
        if token is not None and len(token) <= _LONGEST_COOKIE:
            response.set_cookie(
                _COOKIE,
                token,
                max_age=_LIFETIME if token else 0,
                path=reverse("crowd-home"),
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    def _respond(self, request: HttpRequest, lazy: Any) -> HttpResponse:
        waiting = _waiting(request)
        if waiting is not None:
            return self._show(request, waiting)
        response = self._get_response(request)
        if request.method == "POST" and _leads_on(response) and lazy:
            _go_on(request, response, lazy)
        return response

    def _show(self, request: HttpRequest, kept: KeptForm) -> HttpResponse:
        """The page of the form with what was typed, or what became of that page."""
        again = _typed_again(kept)
        if again is not None:
            _send(request, kept.to, again)
        response = self._get_response(request)
        if _leads_on(response):
            return response
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            # The browser did not say where the form was: pages of buttons are above them.
            above = f"{kept.page.rstrip('/').rpartition('/')[0]}/"
            wait_for_page(request, replace(kept, page=above))
            return redirect(above)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.status_code == HTTPStatus.OK and is_page and not response.streaming:
            to = kept.to if again is None else ""
            template = f"{'mturk_local' if is_annotators(request) else 'web'}/_typed.html"
            page = response.content.decode()
            response.content = with_typed(page, replace(kept, to=to), template, request).encode()
        if is_annotators(request):
            request.form_waiting = ""  # type: ignore[attr-defined]
        else:
            request.session.pop(_WAITING, None)
        return response


def _leads_on(response: HttpResponse) -> bool:
    return response.status_code == HTTPStatus.FOUND


def _go_on(request: HttpRequest, response: HttpResponse, kept: KeptForm) -> None:
    """After a sign-in the page of the form comes next; after a request for a code it follows."""
    if _is_sign_in(request):
        # The annotator's session has just begun.
        request.COOKIES |= {name: cookie.value for name, cookie in response.cookies.items()}
        if _account(request) and wait_for_page(request, kept):
            response.headers["Location"] = kept.page
    elif getattr(response, "is_interruption", False):
        wait_for_page(request, kept)


def _typed_again(kept: KeptForm) -> QueryDict | None:
    """Return the fields for a view that shows a form as it was typed, and does nothing."""
    try:
        again = getattr(resolve(kept.to).func, "typed_again", None)
    except Resolver404:
        return None
    return again(kept.values) if again else None


def _send(request: HttpRequest, to: str, typed: QueryDict) -> None:
    """Let the request send these fields there, as a button that only shows the form would."""
    request.method, request.path, request.path_info = "POST", to, to
    request.META |= {"REQUEST_METHOD": "POST", "PATH_INFO": to, "QUERY_STRING": ""}
    request.GET, request.POST = QueryDict(), typed  # type: ignore[assignment]
    request._files = MultiValueDict()  # type: ignore[attr-defined] # noqa: SLF001 - as it reads them
    request.csrf_processing_done = True  # type: ignore[attr-defined] # the session held it


class _FormToken(CsrfTokenNode):
    """The token of a form, and whose page it is on."""

    def render(self, context: Context) -> SafeString:
        token = super().render(context)
        request = context.get("request")
        by = "" if request is None or is_annotators(request) else _account(request)
        field = format_html('<input type="hidden" name="{}" value="{}">', BY, by) if by else ""
        return SafeString(token + field if token else "")


@register.tag("csrf_token")
def form_token(_parser: Parser, _token: Token) -> _FormToken:
    """In place of Django's tag of this name."""
    return _FormToken()


def _split(address: str) -> SplitResult:
    """The parts of an address that a browser sent; empty ones of what is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
