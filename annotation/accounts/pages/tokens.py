"""The tokens of the API that a person has, on the page of their account."""

from django.contrib import messages
from django.contrib.auth.models import User
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.views.decorators.http import require_POST

from annotation.accounts.operations.tokens import token_create, token_revoke
from annotation.accounts.pages.account import account_page
from annotation.web.access import person_view
from metrics.errors import InputError


@require_POST
@person_view
def create(request: HttpRequest) -> HttpResponse:
    """The token is in this answer and nowhere else."""
    if not isinstance(request.user, User):
        return redirect("account")
    _, token = token_create(user=request.user)
    response = account_page(request, token=token)
    response["Cache-Control"] = "no-store"
    return response


@require_POST
@person_view
def revoke(request: HttpRequest) -> HttpResponse:
    if isinstance(request.user, User):
        try:
            token_revoke(user=request.user, key=request.POST.get("key", ""))
            messages.success(request, "The token is no longer of use to anybody.")
        except InputError as error:
            messages.error(request, str(error))
    return redirect("account")
