"""Who may see the requester's pages, and under which name their acts are recorded."""

from collections.abc import Callable
from functools import wraps
from typing import Concatenate, ParamSpec

from django.conf import settings
from django.contrib.admin.forms import AdminAuthenticationForm
from django.contrib.auth.views import LoginView, redirect_to_login
from django.http import HttpRequest, HttpResponseBase

P = ParamSpec("P")
View = Callable[Concatenate[HttpRequest, P], HttpResponseBase]


def requester_page(view: View[P]) -> View[P]:
    """Ask for a sign-in by a member of staff, unless only this machine can reach the site."""

    @wraps(view)
    def guarded(request: HttpRequest, /, *args: P.args, **kwargs: P.kwargs) -> HttpResponseBase:
        if settings.OPEN_TO_THIS_MACHINE or request.user.is_staff:
            return view(request, *args, **kwargs)
        return redirect_to_login(request.get_full_path(), login_url="sign-in")

    return guarded


class SignIn(LoginView):
    """Our own page for it; people who are no members of staff are told so."""

    template_name = "web/sign_in.html"
    authentication_form = AdminAuthenticationForm
    next_page = "batch-list"


def actor_of(request: HttpRequest) -> str:
    """Who acts, for the log of the batch."""
    return f"{request.user.get_username() or 'this machine'} (web page)"
