"""The tokens of the API that a person has, on the page of their account."""

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.accounts.operations.tokens import CREATE_TOKEN, REVOKE_TOKEN
from annotation.accounts.pages.account import account_page
from annotation.core.perform import perform_here
from annotation.web.access import person_view, who
from annotation.web.buttons import button, press
from metrics.errors import InputError


@require_POST
@person_view
def create(request: HttpRequest) -> HttpResponse:
    """Make a token and show it on this page, the only copy."""
    try:
        done = perform_here(CREATE_TOKEN, None, {}, who(request))
    except InputError:  # nobody is signed in on an open site
        return redirect("account")
    response = account_page(request, token=done.message)
    response["Cache-Control"] = "no-store"
    return response


@button(person_view, lambda _request: redirect("account"))
def revoke(request: HttpRequest) -> str:
    return press(request, REVOKE_TOKEN, None)
