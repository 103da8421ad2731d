"""The time of a page, after a sweep."""

import time
from datetime import datetime

from django.conf import settings
from django.utils import timezone

from mturk_local.lifecycle.sweep import MOST_IN_A_REQUEST, sweep

#: Time, on the monotonic clock, until which this process's last sweep suffices.
_swept_until = 0.0


def moment() -> datetime:
    """Now, swept.

    A process sweeps once a second, not at every page of hundreds of people: permissions follow from
    the times themselves.
    """
    global _swept_until  # noqa: PLW0603 - one memory per process is what is meant
    now = timezone.now()
    if time.monotonic() >= _swept_until:
        sweep(now, most=MOST_IN_A_REQUEST)
        _swept_until = time.monotonic() + settings.MTURK_LOCAL_LOOK_SECONDS
    return now
