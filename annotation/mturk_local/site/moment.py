"""The time of a page, and what time alone does, done."""

import time
from datetime import datetime, timedelta
from typing import NamedTuple

from django.conf import settings
from django.utils import timezone

from annotation.mturk_local import clock
from annotation.mturk_local.lifecycle.sweep import MOST_IN_A_REQUEST, sweep


class _Looked(NamedTuple):
    """What this process found when it last looked, and until when that is good enough."""

    offset: timedelta
    until: float


_looked = _Looked(timedelta(), 0.0)


def moment() -> datetime:
    """The service's time, swept.

    A process looks once a second, not at every page of hundreds of people: what a worker may still
    accept or hand in is decided by the times themselves. While rehearsals may move the clock, it
    looks each time.
    """
    global _looked  # noqa: PLW0603 - one memory per process is what is meant
    if time.monotonic() < _looked.until:
        return timezone.now() + _looked.offset
    offset = clock.offset()
    now = timezone.now() + offset
    sweep(now, most=MOST_IN_A_REQUEST)
    if not settings.MTURK_LOCAL_CONTROL:
        _looked = _Looked(offset, time.monotonic() + settings.MTURK_LOCAL_LOOK_SECONDS)
    return now
