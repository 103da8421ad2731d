"""Forms of members that were sent after their session had ended, kept until they are shown again.

The sign-in page that answers such a form holds it, signed: of people who are not signed in nothing
is stored. Once they are, it waits in their session for the page of the form. Passwords, codes and
files are not kept. A form says whose page it was on, and goes back to that account only. How it is
kept and shown stands in `mturk_local.site.kept_forms`, whose forms are those of annotators.
"""

import time

from django.conf import settings
from django.http import HttpRequest, HttpResponse, QueryDict
from django.template import Library
from django.template.base import Parser, Token
from django.template.context import Context
from django.template.defaulttags import CsrfTokenNode
from django.urls import Resolver404, resolve
from django.utils.datastructures import MultiValueDict
from django.utils.html import format_html
from django.utils.safestring import SafeString

from mturk_local.site import kept_forms
from mturk_local.site.kept_forms import BY, KEPT, LIFETIME, KeptForm, digest_of, is_annotators

_WAITING = "kept-form"

register = Library()


class KeepForms(kept_forms.KeepForms):
    """Keeps the forms of all but annotators, in the session."""

    template, sign_in = "web/_typed.html", "sign-in"
    #: What proves who somebody is, or that they agree, is given each time.
    secrets = frozenset(
        {
            *("password", "password1", "password2", "old_password"),
            *("new_password1", "new_password2", "code", "response", "token", "key", "agreed"),
            *("csrfmiddlewaretoken", KEPT, BY),
        }
    )

    def is_mine(self, request: HttpRequest) -> bool:
        return not is_annotators(request)

    def account(self, request: HttpRequest) -> str:
        return _account(request)

    def sent_by(self, request: HttpRequest) -> str:
        return request.POST.get(BY, "")

    def waiting(self, request: HttpRequest) -> KeptForm | None:
        if settings.SESSION_COOKIE_NAME in request.COOKIES and _WAITING in request.session:
            stored, until = request.session[_WAITING]
            return KeptForm(**stored) if time.time() < until else None
        return None

    def wait(self, request: HttpRequest, kept: KeptForm) -> bool:
        if kept.by not in ("", _account(request)):
            return False
        request.session[_WAITING] = [kept.stored, time.time() + LIFETIME]
        return True

    def forget(self, request: HttpRequest) -> None:
        request.session.pop(_WAITING, None)

    def back(self, request: HttpRequest, response: HttpResponse) -> KeptForm | None:
        kept: KeptForm | None = request.kept_form  # type: ignore[attr-defined] # set by `__call__`
        if kept and self.is_sign_in(request):
            return kept if _account(request) else None
        if kept and getattr(response, "is_interruption", False):
            self.wait(request, kept)  # until the code was given, too
        return None

    def show_itself(self, request: HttpRequest, kept: KeptForm) -> bool:
        try:
            again = getattr(resolve(kept.to).func, "typed_again", None)
        except Resolver404:
            return False
        typed = again(kept.values) if again else None
        if typed is not None:
            _send(request, kept.to, typed)
        return typed is not None


def _account(request: HttpRequest) -> str:
    """Return a digest of the account whose page it is; "" without one."""
    user = getattr(request, "user", None)
    return digest_of(f"user {user.pk}" if user and user.is_authenticated else "")


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
