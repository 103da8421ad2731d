"""Limits failed sign-ins by address: one password can be tried on many names.

They count before they are tried, so that simultaneous guesses do not evade the limit.
"""

from datetime import datetime, timedelta

from django.conf import settings
from django.db.models import F
from django.http import HttpRequest
from django.utils.crypto import salted_hmac

from mturk_local.models import SignInFailures

#: Many more than for one name: everybody behind a proxy has one address.
_MOST_FAILURES = 50
PERIOD = timedelta(minutes=15)


def may_guess(request: HttpRequest, now: datetime) -> bool:
    """Count a guess before it is tried; False where nobody may guess from its address for now.

    The first one begins a period. Addresses are forgotten with their period.
    """
    SignInFailures.objects.filter(started_at__lte=now - PERIOD).delete()
    failures, _ = SignInFailures.objects.get_or_create(
        address=_address(request), defaults={"started_at": now}
    )
    still_few = SignInFailures.objects.filter(pk=failures.pk, count__lt=_MOST_FAILURES)
    return bool(still_few.update(count=F("count") + 1))


def was_no_guess(request: HttpRequest) -> None:
    """Take the count of `may_guess` back: the password was right."""
    mine = SignInFailures.objects.filter(address=_address(request), count__gt=0)
    mine.update(count=F("count") - 1)


def _address(request: HttpRequest) -> str:
    """A keyed digest of the client's address; a proxy appends the one it speaks for."""
    address = request.META.get("REMOTE_ADDR", "")
    if settings.MTURK_LOCAL_TRUST_PROXY:
        address = request.META.get("HTTP_X_FORWARDED_FOR", address).rpartition(",")[2].strip()
    return salted_hmac("crowd-service.address", address, algorithm="sha256").hexdigest()
