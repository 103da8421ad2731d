"""A person's own account: studies and roles, password."""

from typing import Any, cast

from django.contrib import messages
from django.contrib.auth.forms import PasswordChangeForm, SetPasswordForm
from django.contrib.auth.models import User
from django.contrib.auth.views import PasswordChangeView
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.urls import reverse_lazy

from annotation.accounts.queries.members import memberships_of
from annotation.accounts.queries.tokens import tokens_of
from annotation.web.access import person_view


@person_view
def account(request: HttpRequest) -> HttpResponse:
    return account_page(request)


def account_page(request: HttpRequest, *, token: str = "") -> HttpResponse:
    """The page, with a new token of the API where one was made just now."""
    user = request.user if isinstance(request.user, User) else None
    shown = {
        "memberships": memberships_of(user=user) if user else [],
        "tokens": tokens_of(user=user) if user else [],
        "token": token,
    }
    return render(request, "web/account.html", shown)


class PasswordChange(PasswordChangeView):
    """Ends the sessions everywhere else."""

    template_name = "web/password.html"
    success_url = reverse_lazy("account")

    def get_form_class(self) -> type[Any]:
        """Who came by an owner's link has no old password to give."""
        user = cast("User", self.request.user)
        return PasswordChangeForm if user.has_usable_password() else SetPasswordForm

    def form_valid(self, form: PasswordChangeForm) -> HttpResponse:
        messages.success(self.request, "Your password is changed.")
        return super().form_valid(form)
