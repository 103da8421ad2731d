"""The application for `celery -A config worker`."""

import os
import sys
from typing import Any

import django
from celery.signals import worker_init

from mturk_local.environment.reading import SettingsError

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings")
try:
    django.setup()
except SettingsError as wrong:
    sys.exit(str(wrong))

from annotation.jobs import app
from config.preparing import check_is_of_1_0
from metrics.errors import InputError

__all__ = ["app"]


@worker_init.connect
def _check_databases(**_sender: Any) -> None:
    try:
        check_is_of_1_0()
    except InputError as error:
        sys.exit(str(error))
