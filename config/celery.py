"""Where `celery -A config worker` finds the application."""

import os

import django

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from annotation.jobs import app  # noqa: E402 - its messages need the models

__all__ = ["app"]
