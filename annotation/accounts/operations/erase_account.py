"""Erasing an account: nobody can sign in to it any more, and its acts stay."""

import secrets
from typing import Any

from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import User
from django.contrib.contenttypes.models import ContentType
from django.db import transaction
from django.db.models import F, QuerySet, Value
from django.db.models.functions import Concat, Length, Substr
from knox.models import AuthToken

from annotation.accounts.operations.account_log import log_account
from annotation.accounts.operations.ending import invitations_end, sessions_end
from annotation.accounts.operations.second_factor import remove_second_factor
from annotation.models import (
    AccountEvent,
    AuditEvent,
    DiscardedVotes,
    ExcludedWorker,
    Invite,
    Label,
    Membership,
    SchemeVersion,
    SignInLink,
    StudyFile,
    StudyReport,
    Task,
)
from annotation.vocabulary import AccountAction, Role
from metrics.errors import InputError

#: Columns that name an actor: a user name, sometimes followed by the interface.
_NAMES: dict[Any, tuple[str, ...]] = {
    AccountEvent: ("account", "actor"),
    AuditEvent: ("actor",),
    Invite: ("actor",),
    ExcludedWorker: ("by", "readmitted_by"),
    Label: ("decided_by",),
    DiscardedVotes: ("by", "restored_by"),
    SchemeVersion: ("created_by",),
    StudyFile: ("actor",),
    StudyReport: ("actor",),
    Task: ("actor",),
}


def check_account_may_go(*, user: User) -> None:
    """Raise `InputError` where a study, or the site, would have no owner left."""
    if user.is_superuser or user.is_staff:
        raise InputError(
            f"{user.get_username()} is a member of staff.", remedy="Withdraw that first: /admin/."
        )
    for membership in Membership.objects.filter(user=user, role=Role.OWNER).select_related("study"):
        owners = Membership.objects.filter(study=membership.study, role=Role.OWNER)
        if not owners.exclude(user=user).exists():
            raise InputError(
                f"{user.get_username()} is the last owner of {membership.study.name!r}.",
                remedy="Make somebody else an owner first.",
            )


@transaction.atomic
def erase_account(*, user: User) -> None:
    """Replace the account's name everywhere by a made-up one, and close the account.

    Memberships, permits, tokens, links and sessions end. The row stays, for references to its
    number.
    """
    check_account_may_go(user=user)
    name, made_up = user.get_username(), f"erased-{secrets.token_hex(8)}"
    invitations_end(user=user, actor=name)
    remove_second_factor(user=user)
    for rows in (Membership, SignInLink, AuthToken):
        rows.objects.filter(user=user).delete()
    sessions_end(user=user)
    about = {"content_type": ContentType.objects.get_for_model(User), "object_id": str(user.pk)}
    LogEntry.objects.filter(**about).delete()
    user.groups.clear()
    user.user_permissions.clear()
    user.set_unusable_password()
    user.username, user.is_active, user.last_login = made_up, False, None
    user.first_name = user.last_name = user.email = ""
    user.save()
    log_account(account=made_up, action=AccountAction.ERASED)
    # Last, since what was just done is logged under the name, too.
    for model, columns in _NAMES.items():
        for column in columns:
            _rename(model.objects.all(), column, name, made_up)
    for event in AuditEvent.objects.filter(detail__icontains=name).iterator():
        detail = {key: made_up if value == name else value for key, value in event.detail.items()}
        AuditEvent.objects.filter(pk=event.pk).update(detail=detail)
    AccountEvent.objects.filter(account=made_up).update(address="")


def _rename(rows: QuerySet[Any], column: str, name: str, made_up: str) -> None:
    rows.filter(**{column: name}).update(**{column: made_up})
    behind = Substr(F(column), Value(len(name) + 1), Length(F(column)))
    came_in = rows.filter(**{f"{column}__startswith": f"{name} ("})
    came_in.update(**{column: Concat(Value(made_up), behind)})
