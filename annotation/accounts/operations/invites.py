"""Inviting by link. The link is shown once: the database knows only its SHA-256.

A link makes one person a member, within seven days, unless an owner revokes it. Opening it changes
nothing; joining claims it with one conditional update, so that of two people at once one joins.
"""

import hashlib
import secrets
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.accounts.operations.members import member_add, role_check
from annotation.models import AuditEvent, Invite, Membership, Study
from metrics.errors import InputError

LIFETIME = timedelta(days=7)
_TOKEN_BYTES = 32


class DeadInviteError(InputError):
    """The link makes nobody a member (any more)."""


def invite_create(*, study: Study, role: str, actor: str) -> tuple[Invite, str]:
    """An invitation and the token of its link, which nobody can read again."""
    role_check(role)
    token = secrets.token_urlsafe(_TOKEN_BYTES)
    with transaction.atomic():
        invite = Invite.objects.create(
            study=study,
            role=role,
            digest=digest_of(token),
            actor=actor,
            expires_at=timezone.now() + LIFETIME,
        )
        _note(invite, actor, "invited")
    return invite, token


def invite_revoke(*, study: Study, number: int, actor: str) -> None:
    """Make a link useless before anybody has used it."""
    with transaction.atomic():
        revoked = Invite.objects.filter(
            study=study, pk=number, used_at__isnull=True, revoked_at__isnull=True
        ).update(revoked_at=timezone.now())
        if not revoked:
            raise InputError("the invitation was used or revoked before.")
        _note(Invite.objects.get(pk=number), actor, "invitation revoked")


def invite_open(*, token: str) -> Invite:
    """The invitation of a link that can still be used; else `DeadInviteError` says why not."""
    kept = Invite.objects.select_related("study").filter(study__removed_at=None)
    invite = kept.filter(digest=digest_of(token)).first()
    if invite is None:
        raise DeadInviteError("this link is not complete, or never was one of ours.")
    why_not = {
        "was used already": invite.used_at is not None,
        "was revoked by an owner of the study": invite.revoked_at is not None,
        "has expired": invite.expires_at <= timezone.now(),
    }
    for why, is_so in why_not.items():
        if is_so:
            raise DeadInviteError(f"this link {why}.")
    return invite


def invite_accept(*, token: str, user: User) -> Membership:
    """Make `user` a member with the link's role. Who is a member already does not use it up."""
    with transaction.atomic():
        invite = invite_open(token=token)
        claimed = Invite.objects.filter(
            pk=invite.pk,
            used_at__isnull=True,
            revoked_at__isnull=True,
            expires_at__gt=timezone.now(),
        ).update(used_at=timezone.now(), used_by=user)
        if not claimed:
            raise DeadInviteError("this link was used by somebody else a moment ago.")
        # Raises for a member, and with the transaction the claim is undone.
        return member_add(
            study=invite.study,
            user=user,
            role=invite.role,
            actor=f"{user.get_username()[:130]} (link)",
        )


def invite_accept_as_new(*, token: str, username: str, password: str) -> Membership:
    """The same for somebody without an account, who gets one; both or neither.

    Whether name and password will do is for the form to say before.
    """
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, password=password)
            return invite_accept(token=token, user=user)
    except IntegrityError:
        raise InputError(f"the name {username!r} was taken a moment ago.") from None


def digest_of(token: str) -> str:
    """What is stored of a token."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _note(invite: Invite, actor: str, action: str) -> None:
    detail = {"role": invite.role, "invitation": invite.pk}
    AuditEvent.objects.create(study=invite.study, actor=actor, action=action, detail=detail)
