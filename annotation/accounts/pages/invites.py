"""The page that an invitation's link opens. Looking changes nothing; joining uses the link up."""

from django.contrib import messages
from django.contrib.auth import login
from django.contrib.auth.forms import UserCreationForm
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.accounts.operations.invites import (
    LIFETIME,
    DeadInviteError,
    invite_accept,
    invite_accept_as_new,
    open_invite,
)
from annotation.accounts.pages.lockout import link_failed, locked_out, may_try_a_link
from annotation.models import Membership
from annotation.vocabulary import ROLE_PERMISSIONS, Action
from metrics.errors import InputError

_BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_http_methods(["GET", "POST"])
def invite(request: HttpRequest, token: str) -> HttpResponse:
    """Join with the account that is signed in, or with a new one."""
    if not may_try_a_link(request):
        return locked_out(request)
    form: UserCreationForm[User] | None = None
    if not isinstance(request.user, User):
        form = UserCreationForm(request.POST or None)
    try:
        invite = open_invite(token=token)
        if request.method == "POST" and (form is None or form.is_valid()):
            return _welcome(request, _join(request, token, form))
    except DeadInviteError as error:
        link_failed(request)
        context = {"problem": str(error), "days": LIFETIME.days}
        return render(request, "web/invite.html", context, status=404)
    except InputError as error:
        # A member already, or a name that was free a moment ago: the link is still good.
        messages.error(request, str(error))
    may_then = [action.label for action in Action if action in ROLE_PERMISSIONS[invite.role]]
    context = {"invite": invite, "form": form, "may_then": may_then}
    return render(request, "web/invite.html", context)


def _join(request: HttpRequest, token: str, form: "UserCreationForm[User] | None") -> Membership:
    if isinstance(request.user, User):
        return invite_accept(token=token, user=request.user)
    assert form is not None  # noqa: S101 - nobody is signed in
    member = invite_accept_as_new(
        token=token,
        username=form.cleaned_data["username"],
        password=form.cleaned_data["password1"],
    )
    login(request, member.user, backend=_BACKEND)
    return member


def _welcome(request: HttpRequest, member: Membership) -> HttpResponse:
    messages.success(request, f"Welcome to {member.study.name}.")
    sees = Action.VIEW in ROLE_PERMISSIONS[member.role]
    return redirect("study-detail" if sees else "study-annotate", member.study_id)
