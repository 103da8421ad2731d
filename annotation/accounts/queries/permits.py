"""Permits by user."""

from typing import NamedTuple

from django.contrib.auth.models import User
from django.db.models import QuerySet

from annotation.core.access import is_staff
from annotation.vocabulary import Permit


class Permitted(NamedTuple):
    """An account and its permits; staff have all of them, and none can be withdrawn."""

    user: User
    permits: frozenset[str]
    has_all: bool


def people() -> QuerySet[User]:
    """Return every account that can sign in, by name, with its permits prefetched."""
    sources = ("user_permissions", "groups__permissions")
    return User.objects.filter(is_active=True).order_by("username").prefetch_related(*sources)


def permits_of(*, user: User) -> Permitted:
    """The permits of one account, given to it or to its groups."""
    has_all = is_staff(user) or user.is_superuser
    groups = [group.permissions.all() for group in user.groups.all()]
    codenames = {
        permission.codename
        for held in [user.user_permissions.all(), *groups]
        for permission in held
    }
    return Permitted(user, frozenset(Permit.values if has_all else codenames & {*Permit}), has_all)
