"""Two-step sign-in: the page that asks for a code, and those that turn it on and off."""

from base64 import b32encode
from binascii import unhexlify
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.contrib.auth.views import RedirectURLMixin
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django_otp.plugins.otp_totp.models import TOTPDevice, default_key

from annotation.accounts.operations.account_log import log_account
from annotation.accounts.operations.ending import sessions_end
from annotation.accounts.operations.second_factor import (
    RENEW_RECOVERY_CODES,
    TURN_OFF_SECOND_FACTOR,
    TURN_ON_SECOND_FACTOR,
    check_sign_in,
)
from annotation.accounts.operations.security_keys import check_security_key
from annotation.accounts.pages.second_factor_session import (
    lacks_second_factor,
    second_factor_passed,
)
from annotation.accounts.pages.security_keys import ask_key, site_of, take_challenge
from annotation.accounts.queries.second_factor import (
    has_second_factor,
    recovery_codes_left,
    security_keys_of,
)
from annotation.core.operations import AnyOperation
from annotation.core.perform import perform_here
from annotation.vocabulary import AccountAction
from annotation.web.access import person_view, takes, who
from annotation.web.qr import qr_code
from metrics.errors import InputError

#: Where the session keeps the key of an app until a code has shown that the app has it.
_KEY = "second-factor-key"
#: What the buttons of the settings do.
_CHANGES: dict[str, AnyOperation] = {"codes": RENEW_RECOVERY_CODES, "off": TURN_OFF_SECOND_FACTOR}


class _Next(RedirectURLMixin):
    """Where `next` leads, if that is a page of ours."""

    next_page = "study-list"

    def __init__(self, request: HttpRequest) -> None:
        self.request = request


@never_cache
@person_view
@takes("next")
def give_code(request: HttpRequest) -> HttpResponse:
    """The second step of signing in."""
    if not lacks_second_factor(request):
        return redirect("study-list")
    user = cast("User", request.user)
    if not has_second_factor(user=user):
        return redirect("second-factor-on")
    problem = ""
    if request.method == "POST":
        try:
            _second_step(request, user)
        except InputError as error:
            problem = error.message
            log_account(account=user.get_username(), action=AccountAction.SECOND_STEP_FAILED)
        else:
            log_account(account=user.get_username(), action=AccountAction.SECOND_STEP_PASSED)
            second_factor_passed(request)
            return redirect(_Next(request).get_success_url())
    context = {
        "problem": problem,
        "next": _Next(request).get_redirect_url(),
        "options": ask_key(request) if security_keys_of(user=user) else None,
    }
    return render(request, "web/second_factor.html", context)


def _second_step(request: HttpRequest, user: User) -> None:
    """`InputError` unless a security key has answered, or the code is right."""
    if response := request.POST.get("response"):
        check_security_key(
            user=user,
            site=site_of(request),
            challenge=take_challenge(request),
            response=response,
        )
    else:
        check_sign_in(user=user, code=request.POST.get("code", ""))


@never_cache
@person_view
def turn_on(request: HttpRequest) -> HttpResponse:
    """Show the key to an app, and take the code that proves that the app has it."""
    user = request.user
    if not isinstance(user, User):  # nobody is signed in on an open site
        return redirect("account")
    if has_second_factor(user=user):
        return redirect(
            "second-factor" if lacks_second_factor(request) else "second-factor-settings"
        )
    key, problem = request.session.setdefault(_KEY, default_key()), ""
    if request.method == "POST":
        values = {"key": key, "code": request.POST.get("code", "")}
        try:
            codes = perform_here(TURN_ON_SECOND_FACTOR, None, values, who(request)).made
        except InputError as error:
            problem = error.message
        else:
            del request.session[_KEY]
            second_factor_passed(request)
            sessions_end(user=user, kept=request.session.session_key)
            return render(request, "web/recovery_codes.html", {"codes": codes})
    context = {
        "problem": problem,
        "qr": qr_code(TOTPDevice(user=user, key=key).config_url),
        "secret": b32encode(unhexlify(key)).decode(),
        "is_required": lacks_second_factor(request),
    }
    return render(request, "web/second_factor_on.html", context)


@never_cache
@person_view
def settings_page(request: HttpRequest) -> HttpResponse:
    """New recovery codes, or turning it off: both take a code."""
    user = request.user
    if not isinstance(user, User) or not has_second_factor(user=user):
        return redirect("second-factor-on")
    problem = ""
    if request.method == "POST":
        operation = _CHANGES.get(request.POST.get("change", ""), RENEW_RECOVERY_CODES)
        try:
            values = {"code": request.POST.get("code", "")}
            done = perform_here(operation, None, values, who(request))
        except InputError as error:
            problem = error.message
        else:
            if done.made:
                return render(request, "web/recovery_codes.html", {"codes": done.made})
            messages.success(request, done.message)
            return redirect("account")
    context = {
        "problem": problem,
        "left": recovery_codes_left(user=user),
        "keys": security_keys_of(user=user),
    }
    return render(request, "web/second_factor_settings.html", context)
