"""The application for `celery -A config worker`."""

import os
import sys
from typing import Any

import django
from celery.signals import worker_init

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
django.setup()

from annotation.jobs import app  # noqa: E402 - its messages need the models
from config.preparing import check_is_of_1_0  # noqa: E402
from metrics.errors import InputError  # noqa: E402

__all__ = ["app"]


@worker_init.connect
def _check_databases(**_sender: Any) -> None:
    try:
        check_is_of_1_0()
    except InputError as error:
        sys.exit(str(error))
