"""Forms that were sent after their session had ended, kept until they are shown again.

What an annotator typed waits in a cookie of the browser, signed: a sign-in page holds it, and so
does the cookie for people who come back by a link, an invitation or a panel. The page of the form
shows it once, filled in; nothing is sent by itself. A form goes back to its own account only.

`KeepForms` is also the way of a site that holds the service, whose members' forms wait elsewhere.
"""

from collections.abc import Callable, Iterator
from dataclasses import asdict, dataclass, replace
from http import HTTPStatus
from typing import Any
from urllib.parse import SplitResult, urlsplit, urlunsplit

from django.conf import settings
from django.core import signing
from django.core.exceptions import BadRequest, SuspiciousOperation
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse, QueryDict, UnreadablePostError
from django.shortcuts import redirect
from django.urls import Resolver404, resolve, reverse
from django.utils.crypto import salted_hmac
from django.utils.functional import SimpleLazyObject
from django.utils.http import url_has_allowed_host_and_scheme

from mturk_local.models import Assignment, QualificationRequest, Worker
from mturk_local.site import session
from mturk_local.site.filling import with_typed

#: The field of a sign-in page that holds a form, and the field of a form that says whose it is.
KEPT, BY = "kept", "by"
#: Seconds from the sending to the page that shows it again, and the largest form that is kept.
LIFETIME, _LONGEST = 12 * 3_600, 1_000_000
#: As long as browsers keep a cookie.
_LONGEST_COOKIE = 3_500
_SALT = "kept-form"


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


def read_token(token: str) -> KeptForm | None:
    """The form of a `KeptForm.token`; None for one that is too old, or not ours."""
    try:
        return KeptForm(**signing.loads(token, salt=_SALT, max_age=LIFETIME))
    except signing.BadSignature:
        return None


def digest_of(who: str) -> str:
    """Return what a form says of its account `who`; "" for nobody."""
    return salted_hmac(_SALT, who).hexdigest()[:20] if who else ""


def is_annotators(request: HttpRequest) -> bool:
    return request.path.startswith(reverse("crowd-home"))


class KeepForms:
    """Middleware that keeps what was typed over a sign-in, and shows it on the form's page."""

    template, sign_in = "mturk_local/_typed.html", "crowd-sign-in"
    #: Fields that are not kept. Questions of an annotator's test have any other name.
    secrets = frozenset({"password", "csrfmiddlewaretoken", KEPT})

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self._get_response = get_response

    def is_mine(self, request: HttpRequest) -> bool:
        """Return whether the request is about a page whose forms are kept here."""
        return is_annotators(request)

    def account(self, request: HttpRequest) -> str:
        """Return a digest of the account whose page it is; "" without one."""
        worker = session.worker_named(request)
        return digest_of(worker and f"worker {worker}")

    def sent_by(self, request: HttpRequest) -> str:
        """Return the digest of the account on whose page the form was; "" if none is known."""
        return self.account(request)

    def waiting(self, request: HttpRequest) -> KeptForm | None:
        """The form that waits in this browser."""
        return read_token(request.COOKIES.get(session.FORM_COOKIE, ""))

    def wait(self, request: HttpRequest, kept: KeptForm) -> bool:
        """Keep the form until its page is opened; False if it is another's, or too long."""
        token = kept.token
        if kept.by not in ("", self.account(request)) or len(token) > _LONGEST_COOKIE:
            return False
        # Their pages ask nothing of a site's database.
        request.form_waiting = token  # type: ignore[attr-defined] # for `__call__`
        return True

    def forget(self, request: HttpRequest) -> None:
        """End the waiting."""
        request.form_waiting = ""  # type: ignore[attr-defined]

    def back(self, request: HttpRequest, response: HttpResponse) -> KeptForm | None:
        """The form to which somebody goes back whom the response lets in, by whatever way."""
        if session.COOKIE not in response.cookies:
            return None
        request.COOKIES |= {name: cookie.value for name, cookie in response.cookies.items()}
        worker = session.signed_in(request)
        kept = request.kept_form or self.waiting(request)  # type: ignore[attr-defined]
        return kept if worker and kept and _is_open_to(worker, kept.page) else None

    def show_itself(self, request: HttpRequest, kept: KeptForm) -> bool:
        """Return whether the view has been told to show the form as it was typed."""
        del request, kept
        return False

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if not self.is_mine(request):
            return self._get_response(request)
        lazy: Any = SimpleLazyObject(lambda: self._kept_form(request))
        request.kept_form = lazy  # type: ignore[attr-defined] # for templates
        request.keep_form = lambda: bool(lazy) and self.wait(request, lazy)  # type: ignore[attr-defined]
        response = self._respond(request)
        token = getattr(request, "form_waiting", None)
        if token is not None:
            response.set_cookie(
                session.FORM_COOKIE,
                token,
                max_age=LIFETIME if token else 0,
                path=reverse("crowd-home"),
                secure=settings.SESSION_COOKIE_SECURE,
                httponly=True,
                samesite="Lax",
            )
        return response

    def _kept_form(self, request: HttpRequest) -> KeptForm | None:
        """The form that the request sends, or that a sign-in page holds; None without one."""
        if request.method != "POST" or not _is_from_here(request):
            return None
        try:
            if self.is_sign_in(request):
                return read_token(request.POST.get(KEPT, ""))
            lists = request.POST.lists()
            typed = [[n, v] for n, several in lists for v in several if n not in self.secrets]
            has_files = bool(request.FILES)
        except (SuspiciousOperation, BadRequest, UnreadablePostError):
            return None
        page = _page_of(request)
        is_nothing = not typed and not has_files and page == request.path
        if is_nothing or sum(len(name) + len(value) for name, value in typed) > _LONGEST:
            return None
        return KeptForm(request.path, page, typed, has_files, self.sent_by(request))

    def is_sign_in(self, request: HttpRequest) -> bool:
        """Return whether the request is about the sign-in page, which holds a form."""
        match = request.resolver_match
        return match is not None and match.url_name == self.sign_in

    def _respond(self, request: HttpRequest) -> HttpResponse:
        kept = self.waiting(request) if request.method == "GET" else None
        is_here = kept is not None and request.path == urlsplit(kept.page).path
        if kept and is_here and kept.by in ("", self.account(request)):
            return self._show(request, kept)
        response = self._get_response(request)
        if _leads_on(response):
            back = self.back(request, response)
            if back is not None and self.wait(request, back):
                response.headers["Location"] = back.page
        return response

    def _show(self, request: HttpRequest, kept: KeptForm) -> HttpResponse:
        """The page of the form with what was typed, or what became of that page."""
        is_there = self.show_itself(request, kept)
        response = self._get_response(request)
        if _leads_on(response):
            return response
        if response.status_code == HTTPStatus.METHOD_NOT_ALLOWED:
            # The browser did not say where the form was: pages of buttons are above them.
            above = f"{kept.page.rstrip('/').rpartition('/')[0]}/"
            self.wait(request, replace(kept, page=above))
            return redirect(above)
        is_page = response.headers.get("Content-Type", "").startswith("text/html")
        if response.status_code == HTTPStatus.OK and is_page and not response.streaming:
            typed = replace(kept, to="") if is_there else kept
            page = with_typed(response.content.decode(), typed, self.template, request)
            response.content = page.encode()
        self.forget(request)
        return response


def _leads_on(response: HttpResponse) -> bool:
    return response.status_code == HTTPStatus.FOUND


def _is_open_to(worker: Worker, page: str) -> bool:
    """Return False for the page of a task, or of a test, that is another's."""
    try:
        named = resolve(urlsplit(page).path).kwargs
    except Resolver404:
        return False
    theirs = {
        "assignment_id": Assignment.objects.filter(worker=worker),
        "request_id": QualificationRequest.objects.filter(worker=worker),
    }
    rows: Iterator[tuple[str, QuerySet[Any]]] = (
        (name, theirs[name]) for name in named if name in theirs
    )
    return all(of.filter(**{name: named[name]}).exists() for name, of in rows)


def _is_from_here(request: HttpRequest) -> bool:
    """Return False for a form of another site, which may have filled it in."""
    origin = request.headers.get("Origin") or request.headers.get("Referer")
    return origin is None or _split(origin).netloc == request.get_host()


def _page_of(request: HttpRequest) -> str:
    """The address, on this site, of the page that the form was on."""
    parts = _split(request.headers.get("Referer", request.path))
    page = urlunsplit(("", "", parts.path, parts.query, ""))
    return page if url_has_allowed_host_and_scheme(page, None) else request.path


def _split(address: str) -> SplitResult:
    """The parts of an address that a browser sent; empty ones of what is none."""
    try:
        return urlsplit(address)
    except ValueError:
        return urlsplit("")
