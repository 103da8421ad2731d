"""Error pages: the crowd service's for annotators, ours for all others."""

from django.http import HttpRequest, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.views.csrf import csrf_failure
from django.views.defaults import page_not_found

from mturk_local.site import faults


def handle_404(request: HttpRequest, exception: Exception) -> HttpResponseBase:
    if _is_annotators(request):
        return faults.not_found(request, exception)
    return page_not_found(request, exception)


def handle_untrusted_form(request: HttpRequest, reason: str = "") -> HttpResponseBase:
    if _is_annotators(request):
        return faults.not_trusted(request, reason)
    if address := faults.came_from(request, reason):
        context = {"came_from": address, "own": f"{request.scheme}://{request.get_host()}"}
        return render(request, "403_origin.html", context, status=403)
    return csrf_failure(request, reason)


def _is_annotators(request: HttpRequest) -> bool:
    return request.path.startswith(reverse("crowd-home"))
