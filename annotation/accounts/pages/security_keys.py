"""Security keys of an account: signing in with one, adding and removing them."""

import json
from typing import cast

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache

from annotation.accounts.operations.security_keys import (
    ADD_SECURITY_KEY,
    REMOVE_SECURITY_KEY,
    security_key_options,
)
from annotation.accounts.queries.second_factor import has_second_factor, security_keys_of
from annotation.core.operations import AnyOperation
from annotation.core.perform import perform_here
from annotation.web.access import person_view, who
from metrics.errors import InputError

#: Where the session keeps the challenge for a key's answer; it is used once.
_CHALLENGE = "security-key-challenge"


def site_of(request: HttpRequest) -> str:
    """Scheme, host and port that the browser is at, which a key signs."""
    return f"{request.scheme}://{request.get_host()}"


def ask_key(request: HttpRequest, *, adding: bool = False) -> str:
    """Return the options for the page, and keep the expected challenge in the session."""
    user = cast("User", request.user)
    options, challenge = security_key_options(user=user, site=site_of(request), adding=adding)
    request.session[_CHALLENGE] = challenge
    return json.dumps(options)


def take_challenge(request: HttpRequest) -> str:
    """Return the challenge of the page once; an unusable one if it was taken before."""
    return str(request.session.pop(_CHALLENGE, "none"))


@never_cache
@person_view
def security_keys(request: HttpRequest) -> HttpResponse:
    """The keys, and a new one; each change takes a code."""
    user = request.user
    if not isinstance(user, User) or not has_second_factor(user=user):
        return redirect("second-factor-on")
    problem = ""
    if request.method == "POST":
        values = {name: request.POST.get(name, "") for name in ("name", "code")}
        operation: AnyOperation = REMOVE_SECURITY_KEY
        more = {}
        if request.POST.get("change") != "remove":
            operation = ADD_SECURITY_KEY
            more = {
                "response": request.POST.get("response", ""),
                "challenge": take_challenge(request),
                "site": site_of(request),
            }
        try:
            done = perform_here(operation, None, values | more, who(request))
        except InputError as error:
            problem = error.message
        else:
            messages.success(request, done.message)
            return redirect("security-keys")
    context = {
        "problem": problem,
        "keys": security_keys_of(user=user),
        "options": ask_key(request, adding=True),
        "name": request.POST.get("name", ""),
    }
    return render(request, "web/security_keys.html", context)
