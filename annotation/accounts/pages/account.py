"""A person's own account: studies and roles, e-mail address, password."""

from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.urls import reverse_lazy
from django.utils import timezone
from knox.models import AuthToken

from annotation.accounts.operations.email_address import SET_EMAIL
from annotation.accounts.queries.account_events import account_events
from annotation.accounts.queries.members import memberships_of
from annotation.accounts.queries.second_factor import has_second_factor
from annotation.core.forms import form_of
from annotation.web.access import person_view
from annotation.web.buttons import button, press


@person_view
def account(request: HttpRequest) -> HttpResponse:
    return account_page(request)


def account_page(request: HttpRequest, *, token: str = "") -> HttpResponse:
    """The page, with a new token of the API where one was made just now."""
    user = request.user if isinstance(request.user, User) else None
    context = {
        "memberships": memberships_of(user=user) if user else [],
        "tokens": _tokens_of(user=user) if user else [],
        "token": token,
        "has_second_factor": user is not None and has_second_factor(user=user),
        "email_form": form_of(SET_EMAIL)(initial={"email": user.email if user else ""}),
        "events": account_events(user=user) if user else [],
        "sends_mail": bool(settings.EMAIL_HOST),
    }
    return render(request, "web/account.html", context)


@button(person_view, lambda _request: redirect("account"))
def email_set(request: HttpRequest) -> str:
    return press(request, SET_EMAIL, None)


class PasswordChange(PasswordChangeView):
    """Ends the sessions everywhere else."""

    template_name = "web/password.html"
    success_url = reverse_lazy("account")

    def get_form_class(self) -> type[Any]:
        """Ask for the old password, which a user of an owner's link does not have."""
        user = cast("User", self.request.user)
        return PasswordChangeForm if user.has_usable_password() else SetPasswordForm

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, "Your password is changed.")
        return super().form_valid(form)


def _tokens_of(*, user: User) -> "QuerySet[AuthToken]":
    """Return the tokens of a person that still work, the latest first, without their text."""
    tokens: QuerySet[AuthToken] = AuthToken.objects.filter(user=user, expiry__gt=timezone.now())
    return tokens.select_related("use").order_by("-created")
