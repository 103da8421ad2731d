"""Giving and withdrawing permits: what an account may do besides what its roles say."""

from collections.abc import Collection

import structlog
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType

from annotation.models import Study
from annotation.vocabulary import Permit
from metrics.errors import InputError

log = structlog.get_logger(__name__)


def permits_known(permits: Collection[str]) -> frozenset[str]:
    """`permits`, which must all exist."""
    if unknown := set(permits) - set(Permit.values):
        known = ", ".join(Permit.values)
        raise InputError(f"no permission is named {min(unknown)!r}.", remedy=f"There is: {known}.")
    return frozenset(permits)


def permits_set(*, user: User, permits: Collection[str], actor: str) -> None:
    """Make `permits` those that `user` has, and no others of ours."""
    permits = permits_known(permits)
    kind = ContentType.objects.get_for_model(Study)
    ours = Permission.objects.filter(content_type=kind, codename__in=Permit.values)
    user.user_permissions.remove(*ours.exclude(codename__in=permits))
    user.user_permissions.add(*ours.filter(codename__in=permits))
    log.info("permits set", user=user.pk, permits=" ".join(sorted(permits)) or "none", by=actor)
