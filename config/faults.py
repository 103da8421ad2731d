"""Error pages: the crowd service's for annotators, ours for all others."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.defaults import page_not_found

from annotation.web.access import person_of, sign_in_again
from mturk_local.site import faults
from mturk_local.site.kept_forms import is_annotators


def handle_404(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if is_annotators(request):
        return faults.not_found(request, exception)
    return page_not_found(request, exception)


def handle_untrusted_form(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """The page of a form without its token; what was typed goes back to its page, see there."""
    if is_annotators(request):
        return faults.not_trusted(request, reason)
    if address := faults.came_from(request, reason):
        context = {"came_from": address, "own": f"{request.scheme}://{request.get_host()}"}
        return render(request, "403_origin.html", context, status=403)
    kept = request.kept_form  # type: ignore[attr-defined] # set by the middleware
    is_in = person_of(request).is_active
    if request.path == reverse("sign-in") or (kept and not is_in):
        return sign_in_again(request)
    back = kept.page if is_in and request.keep_form() else ""  # type: ignore[attr-defined]
    return render(request, "403_csrf.html", {"back": back}, status=403)
