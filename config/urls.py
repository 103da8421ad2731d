"""Every URL: the requester's pages at /, the crowd at /mturk/ and /annotate/, and monitoring."""

from django.contrib import admin
from django.urls import include, path

from config import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("mturk/", include("annotation.mturk_local.urls_api")),
    path("annotate/", include("annotation.mturk_local.urls_annotators")),
    path("", include("annotation.urls")),
]
