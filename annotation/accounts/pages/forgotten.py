"""A new password for somebody who has forgotten theirs, by a link in a mail.

Without a mail server the page says whom to ask. It answers alike, and as fast, whether an address
is that of an account: mails are sent once the page is. Requests count as guesses do.
"""

from functools import partial
from http import HTTPStatus
from typing import Any, cast

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.forms import PasswordResetForm
from django.contrib.auth.views import PasswordResetConfirmView, PasswordResetView
from django.core.mail import EmailMessage
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect, render
from django.template.loader import render_to_string
from django.urls import reverse_lazy
from django.utils import timezone

from annotation.accounts.operations.account_log import log_account
from annotation.accounts.pages.lockout import (
    link_failed,
    locked_out,
    may_request,
    may_try_a_link,
)
from annotation.core.mail import mail_is_sent
from annotation.core.site_address import site_address
from annotation.models import AccountEvent
from annotation.vocabulary import AccountAction

#: Mails to one account within the pause after failures, whoever asks for them.
_MOST_MAILS = 3


class _Form(PasswordResetForm):
    """Collects the mails of the accounts with the address."""

    def __init__(self, *data: Any, **options: Any) -> None:
        super().__init__(*data, **options)
        self.fields["email"].label = "E-mail address of your account"
        self.mails: list[EmailMessage] = []

    def send_mail(
        self,
        _subject: str,
        _template: str,
        context: dict[str, Any],
        _sender: str | None,
        to_email: str,
        html_email_template_name: str | None = None,
    ) -> None:
        del html_email_template_name
        name = context["user"].get_username()
        if _has_enough(name):
            return
        log_account(account=name, action=AccountAction.RESET_REQUESTED, actor="")
        text = render_to_string("mail/forgotten.txt", context)
        self.mails.append(EmailMessage("Fairpool: a new password", text, to=[to_email]))


def _has_enough(account: str) -> bool:
    since = timezone.now() - settings.AXES_COOLOFF_TIME
    rows = AccountEvent.objects.filter(account=account, action=AccountAction.RESET_REQUESTED)
    return rows.filter(at__gte=since).count() >= _MOST_MAILS


class Forgotten(PasswordResetView):
    template_name, form_class = "web/forgotten.html", _Form
    success_url = reverse_lazy("forgotten")

    def dispatch(self, request: HttpRequest, *args: Any, **rest: Any) -> HttpResponseBase:
        if not settings.EMAIL_HOST:
            return render(request, self.template_name)
        return super().dispatch(request, *args, **rest)

    def form_valid(self, form: Any) -> HttpResponse:
        if not may_request(self.request):
            return locked_out(self.request)
        form.save(domain_override="-", extra_email_context={"site": site_address()})
        messages.success(
            self.request,
            "If an account has this address, a mail with a link is on its way to it.",
        )
        response: Any = redirect(self.get_success_url())
        for mail in form.mails:
            # Called when the answer has been sent, which so takes no longer for an account.
            response._resource_closers.append(partial(mail_is_sent, mail))  # noqa: SLF001 - as streams
        return cast("HttpResponse", response)


class NewPassword(PasswordResetConfirmView):
    """The page that the link in the mail opens; the password makes the link useless."""

    template_name = "web/new_password.html"
    success_url = reverse_lazy("sign-in")

    def dispatch(self, *args: Any, **rest: Any) -> HttpResponseBase:
        if not may_try_a_link(self.request):
            return locked_out(self.request)
        response = super().dispatch(*args, **rest)
        # A link that works leads on to an address without it.
        if not self.validlink and response.status_code == HTTPStatus.OK:
            link_failed(self.request)
            response.status_code = 404
        return response

    def form_valid(self, form: Any) -> HttpResponse:
        messages.success(self.request, "Your password is changed. Sign in with it.")
        return super().form_valid(form)
