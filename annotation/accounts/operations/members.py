"""Who belongs to a study, and in which role. A study never loses its last owner."""

from django.contrib.auth.models import User
from django.db import transaction

from annotation.models import AuditEvent, Membership, Study
from annotation.vocabulary import Role
from metrics.errors import InputError


def member_add(*, study: Study, user: User, role: str, actor: str) -> Membership:
    """Make `user` a member; who is one already raises `InputError`."""
    role_check(role)
    with transaction.atomic():
        member, is_new = Membership.objects.get_or_create(
            study=study, user=user, defaults={"role": role}
        )
        if not is_new:
            raise InputError(
                f"{user.get_username()} is {_said(member.role)} of {study.name!r} already.",
                remedy="An owner changes roles on the page of the members.",
            )
        _note(study, actor, "member added", member=user.get_username(), role=role)
    return member


def member_role_set(*, study: Study, number: int, role: str, actor: str) -> Membership:
    """Give the member `number` another role."""
    role_check(role)
    with transaction.atomic():
        member = _locked(study, number)
        before = member.role
        if before == role:
            return member
        if before == Role.OWNER:
            _keep_an_owner(study, member)
        member.role = role
        member.save(update_fields=["role"])
        name = member.user.get_username()
        _note(study, actor, "role changed", member=name, before=before, now=role)
    return member


def member_remove(*, study: Study, number: int, actor: str) -> str:
    """End a membership; the user name of whom. The account stays, and so does what was done."""
    with transaction.atomic():
        member = _locked(study, number)
        if member.role == Role.OWNER:
            _keep_an_owner(study, member)
        name = member.user.get_username()
        member.delete()
        _note(study, actor, "member removed", member=name, role=member.role)
    return name


def role_check(role: str) -> None:
    """Raise `InputError` for a role that does not exist."""
    if role not in Role.values:
        raise InputError(f"unknown role {role!r}.", remedy=f"Use {', '.join(Role.values)}.")


def _locked(study: Study, number: int) -> Membership:
    """The member; the study's row is held, so that two owners cannot remove each other at once."""
    Study.objects.select_for_update().get(pk=study.pk)
    member = Membership.objects.select_related("user").filter(study=study, pk=number).first()
    if member is None:
        raise InputError(f"{study.name!r} has no such member any more.")
    return member


def _keep_an_owner(study: Study, member: Membership) -> None:
    others = Membership.objects.filter(study=study, role=Role.OWNER).exclude(pk=member.pk)
    if not others.exists():
        raise InputError(
            f"{member.user.get_username()} is the last owner of {study.name!r}.",
            remedy="Make somebody else an owner first.",
        )


def _said(role: str) -> str:
    return Role(role).label.lower()


def _note(study: Study, actor: str, action: str, **detail: str) -> None:
    AuditEvent.objects.create(study=study, actor=actor, action=action, detail=detail)
