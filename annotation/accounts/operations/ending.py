"""End the tokens and invitations by which others act for an account."""

from typing import Any

from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.db.models import Q
from django.db.models.signals import pre_save
from django.dispatch import receiver
from django.utils import timezone
from knox.models import AuthToken

from annotation.accounts.operations.account_log import is_hashed_anew
from annotation.models import AuditEvent, Invite, Membership, Study
from annotation.vocabulary import AuditAction


def tokens_end(*, user: User) -> None:
    """End every token of the API that `user` has."""
    AuthToken.objects.filter(user=user).delete()


def sessions_end(*, user: User, kept: str | None = None) -> None:
    """Sign `user` out of all sessions but the one with the key `kept`."""
    for session in Session.objects.exclude(pk=kept).iterator():
        if session.get_decoded().get("_auth_user_id") == str(user.pk):
            session.delete()


def invitations_end(*, user: User, actor: str, study: Study | None = None) -> None:
    """Revoke the unused invitations that `user` made, in one study or in all."""
    name = user.get_username()
    made = Invite.objects.filter(Q(actor=name) | Q(actor__startswith=f"{name} ("))
    unused = made.filter(used_at__isnull=True, revoked_at__isnull=True)
    for invite in unused.filter(study=study) if study else unused:
        Invite.objects.filter(pk=invite.pk, used_at__isnull=True).update(revoked_at=timezone.now())
        AuditEvent.objects.create(
            study_id=invite.study_id,
            actor=actor,
            action=AuditAction.INVITATION_REVOKED,
            detail={"role": invite.role, "invitation": invite.pk},
        )


def membership_ended(*, study: Study, user: User, actor: str) -> None:
    """Revoke the invitations of a former member; without any study left, end the tokens, too.

    While a person is a member elsewhere, their tokens stay: they open nothing of this study.
    """
    invitations_end(user=user, actor=actor, study=study)
    if not (user.is_staff or Membership.objects.filter(user=user).exists()):
        tokens_end(user=user)


@receiver(pre_save, sender=User)
def _account_changes(instance: User, **_signal: Any) -> None:
    """End tokens when the password changes, and invitations when the right to make them ends.

    A password that is only hashed again, as at a sign-in after an upgrade, has not changed.
    """
    before = User.objects.filter(pk=instance.pk).first()
    if before is None:
        return
    closed = before.is_active and not instance.is_active
    if closed or (before.password != instance.password and not is_hashed_anew(instance)):
        tokens_end(user=before)
    if closed or (before.is_staff and not instance.is_staff):
        invitations_end(user=before, actor=before.get_username())
