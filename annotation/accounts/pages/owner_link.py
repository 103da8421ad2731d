"""The page that an owner's link opens: its button signs in, once. Looking uses nothing up."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from annotation.accounts.operations.owner_links import (
    DeadLinkError,
    find_owner_link,
    owner_link_use,
)
from annotation.accounts.pages.lockout import link_failed, locked_out, may_try_a_link

_BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_http_methods(["GET", "HEAD", "POST"])
def owner_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in and redirect, so that no page's address has the used link."""
    if not may_try_a_link(request):
        return locked_out(request)
    try:
        if request.method != "POST":
            name = find_owner_link(token=token).get_username()
            return render(request, "web/owner_link.html", {"name": name})
        user = owner_link_use(token=token)
    except DeadLinkError as error:
        link_failed(request)
        return render(request, "web/dead_link.html", {"problem": str(error)}, status=404)
    login(request, user, backend=_BACKEND)
    return redirect("study-list")
