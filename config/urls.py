"""Every URL: the pages at /, the API at /api/, the crowd at /mturk/ and /annotate/, monitoring."""

from django.contrib import admin
from django.urls import include, path

from config import health

urlpatterns = [
    path("healthz", health.healthz, name="healthz"),
    path("readyz", health.readyz, name="readyz"),
    path("metrics", health.metrics, name="metrics"),
    path("admin/", admin.site.urls),
    path("mturk/", include("mturk_local.urls_api")),
    path("annotate/", include("mturk_local.urls_annotators")),
    path("api/", include("annotation.api_urls")),
    path("", include("annotation.urls")),
]

handler400 = "annotation.api.problems.handle_400"
handler404 = "config.faults.handle_404"
handler500 = "annotation.api.problems.handle_500"
