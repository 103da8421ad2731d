"""The crowd service alone, as a site of its own: it needs nothing of the platform."""

from django.urls import include, path

urlpatterns = [
    path("mturk/", include("mturk_local.urls_api")),
    path("annotate/", include("mturk_local.urls_annotators")),
]

handler404 = "mturk_local.site.faults.not_found"
