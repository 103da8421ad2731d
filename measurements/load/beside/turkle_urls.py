"""Addresses of Turkle's site; read by Turkle's own Python."""

from django.contrib import admin
from django.urls import include, path

urlpatterns = [
    path("admin/", admin.site.urls),
    path("", include("django.contrib.auth.urls")),
    path("", include("turkle.urls")),
]
