"""The address that an owner's link opens: it signs in, once."""

from django.contrib.auth import login
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_GET

from annotation.accounts.operations.owner_links import DeadLinkError, owner_link_use
from annotation.accounts.pages.lockout import link_failed, locked_out, may_try_a_link

_BACKEND = "django.contrib.auth.backends.ModelBackend"


@never_cache
@require_GET
def owner_link(request: HttpRequest, token: str) -> HttpResponse:
    """Sign in and lead on, so that the used link stays in no page's address."""
    if not may_try_a_link(request):
        return locked_out(request)
    try:
        user = owner_link_use(token=token)
    except DeadLinkError as error:
        link_failed(request)
        return render(request, "web/dead_link.html", {"problem": str(error)}, status=404)
    login(request, user, backend=_BACKEND)
    return redirect("study-list")
