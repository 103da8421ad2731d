"""Members of a study and their roles. A study never loses its last owner."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import transaction

from annotation.accounts.operations.ending import invitations_end, membership_ended
from annotation.accounts.queries.members import get_user
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import ROW_NUMBER, parameter
from annotation.models import AuditEvent, Membership, Study
from annotation.vocabulary import (
    LONGEST_USERNAME,
    ROLE_PERMISSIONS,
    Action,
    AuditAction,
    Role,
)
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class AddMemberParameters:
    user: str = parameter(
        max_length=LONGEST_USERNAME, help_text="Their user name.", style={"positional": True}
    )
    role: str = parameter(Role.VIEWER, choices=Role.choices, help_text="What they may do.")


@dataclass(frozen=True, kw_only=True)
class RemoveMemberParameters:
    member: int = parameter(**ROW_NUMBER, help_text="Number of the membership.")


@dataclass(frozen=True, kw_only=True)
class ChangeRoleParameters(RemoveMemberParameters):
    role: str = parameter(choices=Role.choices)


class AddMember(Operation[Study, AddMemberParameters]):
    """Make somebody who has an account a member of a study; `invite` is for people without one."""

    name = "add member"
    example = {"user": "ada", "role": "adjudicator"}
    title = "Add member"
    subject = Study
    parameters = AddMemberParameters

    def run(self, subject: Study, parameters: AddMemberParameters, run: Run) -> Result:
        user = get_user(username=parameters.user)
        member = add_member(study=subject, user=user, role=parameters.role, actor=run.actor.name)
        values = {"study": subject.name, "user": parameters.user, "role": member.role}
        return Result(values, f"{parameters.user} is {member.role} of {subject.name} now.")


class ChangeRole(Operation[Study, ChangeRoleParameters]):
    """Give a member another role; a study keeps an owner."""

    name = "change role"
    example = {"member": 7, "role": "viewer"}
    title = "Change role"
    subject = Study
    parameters = ChangeRoleParameters

    @transaction.atomic
    def run(self, subject: Study, parameters: ChangeRoleParameters, run: Run) -> Result:
        member = _locked(subject, parameters.member)
        before, name = member.role, member.user.get_username()
        if before != parameters.role:
            if before == Role.OWNER:
                _keep_an_owner(subject, member)
            member.role = parameters.role
            member.save(update_fields=["role"])
            if Action.MANAGE not in ROLE_PERMISSIONS[member.role]:
                invitations_end(user=member.user, actor=run.actor.name, study=subject)
            detail = {"member": name, "before": before, "now": member.role}
            _note(subject, run.actor.name, AuditAction.ROLE_CHANGED, detail)
        return Result(message=f"{name} is {_display(member.role)} now.", made=member)


class RemoveMember(Operation[Study, RemoveMemberParameters]):
    """End a membership; what the member has done stays."""

    name = "remove member"
    example = {"member": 7}
    title = "Remove member"
    subject = Study
    parameters = RemoveMemberParameters

    @transaction.atomic
    def run(self, subject: Study, parameters: RemoveMemberParameters, run: Run) -> Result:
        member = _locked(subject, parameters.member)
        if member.role == Role.OWNER:
            _keep_an_owner(subject, member)
        name = member.user.get_username()
        member.delete()
        membership_ended(study=subject, user=member.user, actor=run.actor.name)
        detail = {"member": name, "role": member.role}
        _note(subject, run.actor.name, AuditAction.MEMBER_REMOVED, detail)
        return Result(message=f"{name} is no longer a member.")


@transaction.atomic
def add_member(*, study: Study, user: User, role: str, actor: str) -> Membership:
    """Make `user` a member; raises `InputError` if they are one already."""
    member, is_new = Membership.objects.get_or_create(
        study=study, user=user, defaults={"role": role}
    )
    if not is_new:
        raise InputError(
            f"{user.get_username()} is {_display(member.role)} of {study.name!r} already.",
            remedy="An owner changes roles on the page of the members.",
        )
    _note(study, actor, AuditAction.MEMBER_ADDED, {"member": user.get_username(), "role": role})
    return member


def _locked(study: Study, number: int) -> Membership:
    """The member; the study's row is held, so that two owners cannot remove each other at once."""
    Study.objects.select_for_update().get(pk=study.pk)
    member = Membership.objects.select_related("user").filter(study=study, pk=number).first()
    if member is None:
        raise InputError(f"{study.name!r} no longer has this member.")
    return member


def _keep_an_owner(study: Study, member: Membership) -> None:
    others = Membership.objects.filter(study=study, role=Role.OWNER).exclude(pk=member.pk)
    if not others.exists():
        raise InputError(
            f"{member.user.get_username()} is the last owner of {study.name!r}.",
            remedy="Make somebody else an owner first.",
        )


def _display(role: str) -> str:
    return Role(role).label.lower()


def _note(study: Study, actor: str, action: AuditAction, detail: dict[str, str]) -> None:
    AuditEvent.objects.create(study=study, actor=actor, action=action, detail=detail)


ADD_MEMBER = AddMember()
CHANGE_ROLE = ChangeRole()
REMOVE_MEMBER = RemoveMember()
