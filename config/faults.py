"""Error pages: the crowd service's for annotators, ours for all others."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.defaults import page_not_found

from annotation.web.access import person_of, sign_in_again
from config.kept_forms import is_annotators, wait_for_page
from mturk_local.site import faults
from mturk_local.site.session import signed_in


def handle_404(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if is_annotators(request):
        return faults.not_found(request, exception)
    return page_not_found(request, exception)


def handle_untrusted_form(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    """The page of a form without its token; what was typed goes back to its page, see there."""
    if (address := faults.came_from(request, reason)) and not is_annotators(request):
        context = {"came_from": address, "own": f"{request.scheme}://{request.get_host()}"}
        return render(request, "403_origin.html", context, status=403)
    kept = request.kept_form  # type: ignore[attr-defined] # set by the middleware
    is_in = signed_in(request) if is_annotators(request) else person_of(request).is_active
    back = kept.page if kept and is_in and wait_for_page(request, kept) else ""
    if is_annotators(request):
        return faults.not_trusted(request, reason, back)
    if request.path == reverse("sign-in") or (kept and not is_in):
        return sign_in_again(request)
    return render(request, "403_csrf.html", {"back": back}, status=403)
