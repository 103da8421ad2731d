"""Tokens of the API."""

from django.contrib.auth.models import User
from django.db.models import QuerySet
from knox.models import AuthToken


def tokens_of(*, user: User) -> "QuerySet[AuthToken]":
    """The tokens of a person, the latest first; their text is known to nobody."""
    found: QuerySet[AuthToken] = AuthToken.objects.filter(user=user).order_by("-created")
    return found
