"""Inviting by link. The link is shown once: the database knows only its SHA-256.

A link makes one person a member, within its `LIFETIME`, unless an owner revokes it. Opening it
changes nothing; joining claims it with one conditional update, so that only one of two simultaneous
visitors joins.
"""

import hashlib
import secrets
from dataclasses import dataclass
from datetime import timedelta

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.accounts.operations.members import add_member
from annotation.core.moments import format_moment
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.models import AuditEvent, Invite, Membership, Study
from annotation.vocabulary import AuditAction, Role
from metrics.errors import InputError

LIFETIME = timedelta(days=7)
_TOKEN_BYTES = 32


class DeadInviteError(InputError):
    """The link makes nobody a member (any more)."""


@dataclass(frozen=True, kw_only=True)
class InviteMemberParameters:
    role: str = parameter(
        Role.VIEWER, choices=Role.choices, help_text="What the person will be allowed to do."
    )


@dataclass(frozen=True, kw_only=True)
class RevokeInvitationParameters:
    invitation: int = parameter(**ROW_NUMBER, help_text="Number of the invitation.")


class InviteMember(Operation[Study, InviteMemberParameters]):
    """Invite somebody by link: whoever opens it first becomes a member, until it expires.

    It is shown once: the database keeps its SHA-256 only.
    """

    name = "invite member"
    example = {"role": "annotator"}
    title = "Invite by link"
    subject = Study
    parameters = InviteMemberParameters

    @transaction.atomic
    def run(self, subject: Study, parameters: InviteMemberParameters, run: Run) -> Result:
        token = secrets.token_urlsafe(_TOKEN_BYTES)
        invite = Invite.objects.create(
            study=subject,
            role=parameters.role,
            digest=digest_of(token),
            actor=run.actor.name,
            expires_at=timezone.now() + LIFETIME,
        )
        _note(invite, run.actor.name, AuditAction.INVITED)
        # Shown this once: nobody can read it again.
        invite.token = token  # type: ignore[attr-defined]
        expires = invite.expires_at
        return Result(
            {
                "study": subject.name,
                "role": invite.role,
                "expires_at": expires.isoformat(timespec="seconds"),
            },
            "The link makes one person a member.",
            note=f"One person can use it until {format_moment(expires)}.",
            made=invite,
        )


class RevokeInvitation(Operation[Study, RevokeInvitationParameters]):
    """Make a link useless before anybody has used it."""

    name = "revoke invitation"
    example = {"invitation": 7}
    title = "Revoke invitation"
    subject = Study
    parameters = RevokeInvitationParameters

    @transaction.atomic
    def run(self, subject: Study, parameters: RevokeInvitationParameters, run: Run) -> Result:
        number = parameters.invitation
        revoked = Invite.objects.filter(
            study=subject, pk=number, used_at__isnull=True, revoked_at__isnull=True
        ).update(revoked_at=timezone.now())
        if not revoked:
            raise InputError("the invitation was used or revoked before.")
        _note(Invite.objects.get(pk=number), run.actor.name, AuditAction.INVITATION_REVOKED)
        return Result(message="The link no longer works.")


INVITE_MEMBER = InviteMember()
REVOKE_INVITATION = RevokeInvitation()


def open_invite(*, token: str) -> Invite:
    """Return the invitation of a usable link; otherwise `DeadInviteError` says why not."""
    kept = Invite.objects.select_related("study").filter(study__removed_at=None)
    invite = kept.filter(digest=digest_of(token)).first()
    if invite is None:
        raise DeadInviteError("this link is incomplete, or was not made by this site.")
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
    """Make `user` a member with the link's role. Members already there leave the link unused."""
    with transaction.atomic():
        invite = open_invite(token=token)
        claimed = Invite.objects.filter(
            pk=invite.pk,
            used_at__isnull=True,
            revoked_at__isnull=True,
            expires_at__gt=timezone.now(),
        ).update(used_at=timezone.now(), used_by=user)
        if not claimed:
            raise DeadInviteError("this link was used by somebody else a moment ago.")
        # For a member it raises, and the transaction undoes the claim.
        return add_member(
            study=invite.study,
            user=user,
            role=invite.role,
            actor=f"{user.get_username()[:130]} (link)",
        )


def invite_accept_as_new(*, token: str, username: str, password: str) -> Membership:
    """Create an account and accept the invite with it, or do neither.

    The form checks name and password before.
    """
    try:
        with transaction.atomic():
            user = User.objects.create_user(username, password=password)
            return invite_accept(token=token, user=user)
    except IntegrityError:
        raise InputError(f"the name {username!r} was taken a moment ago.") from None


def digest_of(token: str) -> str:
    """Digest of a token, as it is stored."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()


def _note(invite: Invite, actor: str, action: AuditAction) -> None:
    detail = {"role": invite.role, "invitation": invite.pk}
    AuditEvent.objects.create(study=invite.study, actor=actor, action=action, detail=detail)
