"""Addresses of the service on its own: as on a site, with the annotators' pages as home page."""

from django.urls import include, path
from django.views.generic import RedirectView

urlpatterns = [
    path("", RedirectView.as_view(pattern_name="crowd-home")),
    path("mturk/", include("mturk_local.urls_api")),
    path("annotate/", include("mturk_local.urls_annotators")),
]

handler404 = "mturk_local.site.faults.not_found"
