"""Second factors: which accounts have one, and which must."""

from django.conf import settings
from django.contrib.auth.models import User
from django_otp.plugins.otp_static.models import StaticToken
from django_otp.plugins.otp_totp.models import TOTPDevice

from annotation.core.access import is_permitted
from annotation.models import SecurityKey
from annotation.vocabulary import Permit


def has_second_factor(*, user: User) -> bool:
    """Return whether `user` gives a code at sign-in."""
    return bool(TOTPDevice.objects.filter(user=user, confirmed=True).exists())


def needs_second_factor(*, user: User) -> bool:
    """Return whether `user` must have one: may spend, on a site that spends real money."""
    return settings.SECOND_FACTOR_REQUIRED and any(
        is_permitted(user=user, permit=permit) for permit in (Permit.PUBLISH, Permit.PAY)
    )


def recovery_codes_left(*, user: User) -> int:
    """Return the number of unused recovery codes of `user`."""
    return int(StaticToken.objects.filter(device__user=user).count())


def security_keys_of(*, user: User) -> list[SecurityKey]:
    """The security keys of `user`, oldest first."""
    return list(SecurityKey.objects.filter(user=user).order_by("created_at", "pk"))
