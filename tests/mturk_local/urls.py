"""The crowd service alone, as a site of its own: it needs nothing of the platform."""

from django.http import HttpRequest, HttpResponse, HttpResponseNotFound
from django.urls import include, path

urlpatterns = [
    path("mturk/", include("mturk_local.urls_api")),
    path("annotate/", include("mturk_local.urls_annotators")),
]


def handler404(request: HttpRequest, exception: Exception) -> HttpResponse:
    """The page that the platform has for this leads to other pages of the platform."""
    return HttpResponseNotFound("There is no such page.")
