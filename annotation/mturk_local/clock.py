"""The time that the service lives by: the machine's, plus an offset that a rehearsal may set.

A study that takes a week on the real clock is rehearsed in a minute by moving the offset. Only the
life of HITs follows it; signatures are always checked against the machine's own clock.
"""

from datetime import datetime, timedelta

from django.utils import timezone

from annotation.mturk_local.models import Clock


def now() -> datetime:
    """The service's time, aware, in UTC."""
    return timezone.now() + offset()


def offset() -> timedelta:
    seconds = Clock.objects.filter(pk=1).values_list("offset_seconds", flat=True).first()
    return timedelta(seconds=seconds or 0)


def set_offset(seconds: int) -> None:
    """Let the service's time run `seconds` ahead of the machine's (behind, if negative)."""
    Clock.objects.update_or_create(pk=1, defaults={"offset_seconds": seconds})
