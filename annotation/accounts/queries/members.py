"""The people of a study, and the studies of a person."""

from django.contrib.auth.models import User
from django.db.models import Count, Q, QuerySet
from django.utils import timezone

from annotation.models import Invite, Membership, Study
from metrics.errors import InputError


def get_study(*, name: str) -> Study:
    """The study of that name; `InputError` if there is none."""
    try:
        return Study.objects.get(name=name)
    except Study.DoesNotExist:
        known = ", ".join(Study.objects.values_list("name", flat=True)[:10]) or "none"
        raise InputError(
            f"there is no study named {name!r}.", remedy=f"There is: {known}."
        ) from None


def get_user(*, username: str) -> User:
    """The account of that name; `InputError` if there is none."""
    try:
        return User.objects.get(username=username)
    except User.DoesNotExist:
        raise InputError(
            f"nobody has the user name {username!r}.",
            remedy="Invite them by link, or run: python manage.py createsuperuser",
        ) from None


def study_list() -> QuerySet[Study]:
    """Every study, the latest first, with `n_members`, `n_pools` and `n_batches`."""
    return Study.objects.annotate(
        n_members=Count("members", distinct=True),
        n_pools=Count("pools", distinct=True, filter=Q(pools__pool__removed_at=None)),
        n_batches=Count("batches", distinct=True, filter=Q(batches__removed_at=None)),
    )


def study_members(*, study: Study) -> QuerySet[Membership]:
    """Return the members by user name, with their accounts prefetched."""
    return study.members.select_related("user").order_by("user__username")


def study_invites(*, study: Study) -> QuerySet[Invite]:
    """The invitations that somebody can still use, the latest first."""
    waiting = study.invites.filter(used_at__isnull=True, revoked_at__isnull=True)
    return waiting.filter(expires_at__gt=timezone.now()).order_by("-created_at", "-pk")


def memberships_of(*, user: User) -> QuerySet[Membership]:
    """The studies of a person, with the role in each."""
    return (
        Membership.objects.filter(user=user, study__removed_at=None)
        .select_related("study")
        .order_by("study__name")
    )
