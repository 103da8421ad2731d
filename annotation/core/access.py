"""Permissions: the one place that answers for pages, the API and commands."""

from typing import Any

from django.contrib.auth.models import AbstractUser, AnonymousUser
from django.db.models import Q, QuerySet

from annotation.models import Batch, Membership, Study
from annotation.vocabulary import ROLE_PERMISSIONS, TAKES_PERMIT, Action, Permit, Role
from pooling.models import Pool

#: Members of staff run the site; they see and may do everything without a role in a study.
User = AbstractUser | AnonymousUser


def is_staff(user: User) -> bool:
    """Return whether `user` runs the site."""
    return bool(getattr(user, "is_staff", False) and user.is_active)


def actions_in(*, user: User, study: Study | None) -> frozenset[str]:
    """Return the permissions of `user` in a study; without a study, only staff have any."""
    if is_staff(user):
        return frozenset(Action.values)
    role = _memberships(user).filter(study=study).values_list("role", flat=True).first()
    allowed = ROLE_PERMISSIONS.get(role or "", frozenset())
    return allowed - {action for action in allowed if permit_lacking(user=user, action=action)}


def is_permitted(*, user: User, permit: Permit) -> bool:
    """Return whether `user` has the permit; members of staff have all of them."""
    return is_staff(user) or user.has_perm(f"annotation.{permit}")


def permit_refusing(*, user: User, study: Study | None, action: str) -> Permit | None:
    """Return the permit that `user`, whose role permits `action`, lacks for it; None otherwise."""
    owns = Action.MANAGE in actions_in(user=user, study=study)
    return permit_lacking(user=user, action=action) if owns else None


def permit_lacking(*, user: User, action: str) -> Permit | None:
    """Return the permit that `user` lacks for `action`, whatever their role; None if none."""
    permit = TAKES_PERMIT.get(action)
    return None if permit is None or is_permitted(user=user, permit=permit) else permit


def studies_open_to(*, user: User, action: str) -> QuerySet[Study]:
    """The studies in which `user` may do `action`."""
    return Study.objects.filter(_open(user, action, ""))


def studies_removed_by(*, user: User) -> QuerySet[Study]:
    """Return the removed studies that `user` may restore, the latest first."""
    removed = Study.everything.exclude(removed_at=None)
    return removed.filter(_open(user, Action.MANAGE, "")).order_by("-removed_at")


def batches_open_to(*, user: User, action: str) -> QuerySet[Batch]:
    """The batches on which `user` may do `action`."""
    return Batch.objects.filter(_open(user, action, "study__"))


def pools_open_to(*, user: User, action: str) -> QuerySet[Pool]:
    """Return the pools on which `user` may do `action`."""
    return Pool.objects.filter(_open(user, action, "belongs__study__"))


def roles_with(action: str) -> list[str]:
    """The names of the roles that permit `action`."""
    return [role.label.lower() for role in Role if action in ROLE_PERMISSIONS[role]]


def study_owners(*, study: Study) -> list[str]:
    """Return the user names of the people who may give others a role, sorted."""
    owners = Membership.objects.filter(study=study, role=Role.OWNER).order_by("user__username")
    return list(owners.values_list("user__username", flat=True))


def _open(user: User, action: str, path: str) -> Q:
    if is_staff(user):
        return Q()
    if permit_lacking(user=user, action=action):
        return Q(pk__in=())
    roles = [role for role in Role.values if action in ROLE_PERMISSIONS[role]]
    memberships: dict[str, Any] = {f"{path}members__in": _memberships(user).filter(role__in=roles)}
    return Q(**memberships)


def _memberships(user: User) -> QuerySet[Membership]:
    """Return the memberships that count: people not signed in, or deactivated, have none."""
    if not user.is_authenticated or not user.is_active:
        return Membership.objects.none()
    return Membership.objects.filter(user_id=user.pk)
