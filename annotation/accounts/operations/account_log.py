"""A row of the log for each act on an account, however it is done: page, command or `/admin/`.

So the rows follow from what is stored: signals of the account's rows, and of signing in.
"""

from collections.abc import Collection, Iterable
from datetime import timedelta
from typing import Any, NamedTuple

import structlog
from django.contrib.auth.models import Group, User
from django.contrib.auth.signals import user_logged_in, user_logged_out, user_login_failed
from django.db.models import Model
from django.db.models.signals import m2m_changed, post_delete, post_save, pre_delete, pre_save
from django.dispatch import receiver
from django.utils import timezone
from django_otp.plugins.otp_static.models import StaticDevice
from django_otp.plugins.otp_totp.models import TOTPDevice
from knox.models import AuthToken

from annotation.core.origin import actor_here, address_here
from annotation.models import AccountEvent, SecurityKey, SignInLink
from annotation.vocabulary import AccountAction

log = structlog.get_logger(__name__)

#: Rows are deleted after this time: addresses are personal data.
KEPT_FOR = timedelta(days=365)


class _Rows(NamedTuple):
    """The acts that making and deleting a row of an account are; deleting may be none."""

    made: AccountAction
    gone: AccountAction | None


_ROWS: dict[type[Model], _Rows] = {
    AuthToken: _Rows(AccountAction.TOKEN_MADE, AccountAction.TOKEN_ENDED),
    SecurityKey: _Rows(AccountAction.KEY_ADDED, AccountAction.KEY_REMOVED),
    TOTPDevice: _Rows(AccountAction.SECOND_FACTOR_ON, AccountAction.SECOND_FACTOR_OFF),
    StaticDevice: _Rows(AccountAction.RECOVERY_CODES_MADE, None),
    SignInLink: _Rows(AccountAction.OWNER_LINK_MADE, None),
}


def log_account(
    *, account: str, action: AccountAction, actor: str | None = None, **detail: Any
) -> None:
    """Write a row and a line about an act on the account of this user name; never a secret."""
    who = actor_here() if actor is None else actor
    event = AccountEvent.objects.create(
        account=account[:150], actor=who[:150], address=address_here(), action=action, detail=detail
    )
    log.info("account", act=event.action, account=account, by=who, address=event.address)


def old_events_delete() -> None:
    AccountEvent.objects.filter(at__lt=timezone.now() - KEPT_FOR).delete()


@receiver(user_logged_in)
def _signed_in(user: User, **_signal: Any) -> None:
    old_events_delete()
    name = user.get_username()
    log_account(account=name, action=AccountAction.SIGNED_IN, actor=name)


@receiver(user_logged_out)
def _signed_out(user: User | None, **_signal: Any) -> None:
    if user is not None:
        name = user.get_username()
        log_account(account=name, action=AccountAction.SIGNED_OUT, actor=name)


@receiver(user_login_failed)
def _sign_in_failed(credentials: dict[str, Any], **_signal: Any) -> None:
    """Of accounts alone: any other name that was typed may be a password."""
    name = str(credentials.get("username") or "")
    if "\0" not in name and User.objects.filter(username=name).exists():
        log_account(account=name, action=AccountAction.SIGN_IN_FAILED, actor="")


@receiver(post_save, sender=User)
def _account_made(instance: User, created: bool, **_signal: Any) -> None:
    if created:
        log_account(account=instance.get_username(), action=AccountAction.MADE)


@receiver(post_delete, sender=User)
def _account_deleted(instance: User, **_signal: Any) -> None:
    log_account(account=instance.get_username(), action=AccountAction.DELETED)


@receiver(pre_save, sender=User)
def _account_changes(
    instance: User, update_fields: Collection[str] | None = None, **_signal: Any
) -> None:
    before = User.objects.filter(pk=instance.pk).first()
    if before is None:
        return

    def changes(field: str) -> bool:
        is_written = update_fields is None or field in update_fields
        return is_written and getattr(before, field) != getattr(instance, field)

    name = instance.get_username()
    if changes("password") and not is_hashed_anew(instance):
        log_account(account=name, action=AccountAction.PASSWORD_CHANGED)
    if changes("email"):
        log_account(account=name, action=AccountAction.EMAIL_CHANGED, has_one=bool(instance.email))
    if changes("username"):
        log_account(account=name, action=AccountAction.RENAMED)
    if changes("is_active"):
        action = AccountAction.REOPENED if instance.is_active else AccountAction.CLOSED
        log_account(account=name, action=action)
    if changes("is_staff") or changes("is_superuser"):
        log_account(
            account=name,
            action=AccountAction.STAFF_CHANGED,
            staff=instance.is_staff,
            superuser=instance.is_superuser,
        )


def is_hashed_anew(user: User) -> bool:
    """Return whether the same password is only hashed again, as at a sign-in after an upgrade."""
    return user._password is None and user.has_usable_password()  # type: ignore[attr-defined] # noqa: SLF001 - as Django tells the two apart


#: What a change of somebody's permissions, groups, or groups' permissions is.
_CHANGES = {
    "post_add": AccountAction.PERMITS_GIVEN,
    "pre_remove": AccountAction.PERMITS_WITHDRAWN,
    "pre_clear": AccountAction.PERMITS_WITHDRAWN,
}


@receiver(m2m_changed, sender=User.user_permissions.through)
@receiver(m2m_changed, sender=User.groups.through)
def _permissions_change(
    instance: Any, action: str, model: type[Model], pk_set: set[int] | None, **_signal: Any
) -> None:
    if isinstance(instance, User):
        held = instance.groups if model is Group else instance.user_permissions
        _log_permits([instance], action, held, pk_set)


@receiver(m2m_changed, sender=Group.permissions.through)
def _group_changes(instance: Any, action: str, pk_set: set[int] | None, **_signal: Any) -> None:
    """A change for each member of the group."""
    if isinstance(instance, Group):
        members = instance.user_set.order_by("pk")
        _log_permits(members, action, instance.permissions, pk_set, of=f" of group {instance.name}")


@receiver(pre_delete, sender=Group)
def _group_ends(instance: Group, **_signal: Any) -> None:
    for member in instance.user_set.order_by("pk"):
        _log_permits([member], "pre_remove", member.groups, {instance.pk})


def _log_permits(
    users: Iterable[User], action: str, held: Any, pk_set: set[int] | None, of: str = ""
) -> None:
    """A row for each user, of the permissions and groups in `held` that the signal is about."""
    did = _CHANGES.get(action)
    rows = held.all() if pk_set is None else held.filter(pk__in=pk_set)
    names = [
        f"group {row.name}" if isinstance(row, Group) else f"{row.codename}{of}" for row in rows
    ]
    if did is not None and names:
        for user in users:
            log_account(account=user.get_username(), action=did, permissions=sorted(names))


def _row_made(sender: type[Model], instance: Any, created: bool, **_signal: Any) -> None:
    if created:
        log_account(account=instance.user.get_username(), action=_ROWS[sender].made)


def _row_gone(sender: type[Model], instance: Any, **_signal: Any) -> None:
    gone = _ROWS[sender].gone
    if gone is not None:
        log_account(account=instance.user.get_username(), action=gone)


for _model, _meaning in _ROWS.items():
    post_save.connect(_row_made, sender=_model)
    if _meaning.gone is not None:
        post_delete.connect(_row_gone, sender=_model)
