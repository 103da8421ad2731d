"""Tokens of the API: shown once, stored as digests, theirs who made them until they end."""

from django.contrib.auth.models import User
from knox.models import AuthToken

from metrics.errors import InputError


def token_create(*, user: User) -> tuple[AuthToken, str]:
    """A token for `user` and its text, which nobody can read again."""
    if not user.is_active:
        raise InputError(f"the account {user.get_username()!r} is closed.")
    made: tuple[AuthToken, str] = AuthToken.objects.create(user)
    return made


def token_revoke(*, user: User, key: str) -> None:
    """End a token of `user`, told by its first characters."""
    revoked, _ = AuthToken.objects.filter(user=user, token_key=key).delete()
    if not revoked:
        raise InputError("there is no such token any more.")
