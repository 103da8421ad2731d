"""Signing the owner in by a link that the server prints: the person who starts the site owns it.

A link works once, for fifteen minutes; a conditional update claims it. The database knows only
its SHA-256, and forgets it with the next link.
"""

import secrets
import sys
from dataclasses import dataclass
from datetime import datetime, timedelta
from pathlib import Path
from typing import NamedTuple

from django.contrib.auth.models import User
from django.db import transaction
from django.db.models import QuerySet
from django.utils import timezone

from annotation.accounts.operations.account_log import log_account
from annotation.accounts.operations.invites import digest_of
from annotation.core.moments import format_moment
from annotation.core.operations import NotPermittedError, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import SignInLink
from annotation.vocabulary import LONGEST_USERNAME, AccountAction
from metrics.errors import InputError

LIFETIME = timedelta(minutes=15)
#: The account that the first link makes.
OWNER = "owner"
_TOKEN_BYTES = 32


class OwnerLink(NamedTuple):
    """A link by which `user` signs in with `token`, once, until `expires_at`."""

    user: User
    token: str
    expires_at: datetime


class DeadLinkError(InputError):
    """The link signs nobody in (any more)."""


@dataclass(frozen=True, kw_only=True)
class OwnerLinkParameters:
    user: str = parameter(
        "",
        max_length=LONGEST_USERNAME,
        allow_blank=True,
        help_text="Another member of staff to sign in.",
    )


class CreateOwnerLink(Operation[None, OwnerLinkParameters]):
    """Print a link that signs the owner of the site in, once, within fifteen minutes.

    Where the output is not a terminal, the path of a file with the link that only you can read.
    Without an account, it makes the first: `owner`, a superuser who can set a password then.
    """

    name = "create owner link"
    command = "account owner-link"
    title = "New link"
    subject = None
    parameters = OwnerLinkParameters
    permission = None

    def run(self, subject: None, parameters: OwnerLinkParameters, run: Run) -> Result:
        if run.actor.user is not None:
            raise NotPermittedError(
                "only a person with a shell on the server can make these links."
            )
        link = create_owner_link(username=parameters.user)
        name, expires = link.user.get_username(), link.expires_at
        return Result(
            {"user": name, "expires_at": expires.isoformat(timespec="seconds")},
            note=f"Signs {name} in, once, until {format_moment(expires)}.",
            made=link,
        )


CREATE_OWNER_LINK = CreateOwnerLink()


def create_owner_link(*, username: str = "") -> OwnerLink:
    """Return a link for the member of staff of that name, otherwise for the first superuser.

    Without a superuser one is made, without a password: until it sets one, links are the way in.
    """
    token, now = secrets.token_urlsafe(_TOKEN_BYTES), timezone.now()
    with transaction.atomic():
        user = _staff(username) if username else _owner()
        SignInLink.objects.filter(expires_at__lte=now).delete()
        link = SignInLink.objects.create(
            user=user, digest=digest_of(token), expires_at=now + LIFETIME
        )
    return OwnerLink(user, token, link.expires_at)


def owner_link_use(*, token: str) -> User:
    """Use the link and return the person whom it signs in; of simultaneous uses only one works."""
    if not _living(token).update(used_at=timezone.now()):
        raise _dead()
    user = SignInLink.objects.select_related("user").get(digest=digest_of(token)).user
    name = user.get_username()
    log_account(account=name, action=AccountAction.OWNER_LINK_USED, actor=name)
    return user


def find_owner_link(*, token: str) -> User:
    """Return the person whom the link would sign in, without using it."""
    link = _living(token).select_related("user").first()
    if link is None:
        raise _dead()
    return link.user


def _living(token: str) -> QuerySet[SignInLink]:
    return SignInLink.objects.filter(
        digest=digest_of(token),
        used_at=None,
        expires_at__gt=timezone.now(),
        user__is_active=True,
    )


def _dead() -> DeadLinkError:
    python = ".venv/bin/python" if Path(sys.prefix).name == ".venv" else "python"
    return DeadLinkError(
        "this link was used, has expired, or was not made by this site.",
        remedy=f"For a new link, run this in the site's folder on the server: {python} manage.py "
        "account owner-link",
    )


def _staff(username: str) -> User:
    user = User.objects.filter(username=username, is_staff=True, is_active=True).first()
    if user is None:
        raise InputError(f"no active member of staff has the user name {username!r}.")
    return user


def _owner() -> User:
    owner = User.objects.filter(is_superuser=True, is_active=True).order_by("pk").first()
    if owner is not None:
        return owner
    if User.objects.filter(username=OWNER).exists():
        raise InputError(
            f"no active superuser exists, and {OWNER!r} is somebody else.",
            remedy="Make one: python manage.py createsuperuser",
        )
    return User.objects.create_superuser(OWNER)
