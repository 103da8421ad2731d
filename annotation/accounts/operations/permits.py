"""Giving and withdrawing permits, which an account has besides its roles."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import structlog
from django.contrib.auth.models import Permission, User
from django.contrib.contenttypes.models import ContentType
from rest_framework.serializers import ChoiceField, ListField

from annotation.accounts.queries.members import get_user
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import HIDDEN, parameter
from annotation.models import Study
from annotation.vocabulary import LONGEST_USERNAME, Permit
from metrics.errors import InputError

log = structlog.get_logger(__name__)


@dataclass(frozen=True, kw_only=True)
class SetPermitsParameters:
    user: str = parameter(max_length=LONGEST_USERNAME, help_text="User name of the account.")
    permits: Sequence[str] = parameter(
        kind=ListField, child=ChoiceField(choices=Permit.choices), style=HIDDEN
    )


class SetPermits(Operation[None, SetPermitsParameters]):
    """Make these the permits that an account has. Only members of staff give and withdraw them."""

    name = "set permits"
    command = "account permit"
    title = "Change permissions"
    subject = None
    parameters = SetPermitsParameters

    def run(self, subject: None, parameters: SetPermitsParameters, run: Run) -> Result:
        user = get_user(username=parameters.user)
        set_permits(user=user, permits=parameters.permits, actor=run.actor.name)
        return Result(message=f"The permissions of {parameters.user} are changed.")


SET_PERMITS = SetPermits()


def set_permits(*, user: User, permits: Collection[str], actor: str) -> None:
    """Give `user` these permits, and withdraw all others."""
    if unknown := set(permits) - set(Permit.values):
        known = ", ".join(Permit.values)
        raise InputError(
            f"there is no permission named {min(unknown)!r}.", remedy=f"Permissions are {known}."
        )
    kind = ContentType.objects.get_for_model(Study)
    ours = Permission.objects.filter(content_type=kind, codename__in=Permit.values)
    user.user_permissions.remove(*ours.exclude(codename__in=permits))
    user.user_permissions.add(*ours.filter(codename__in=permits))
    log.info("permits set", user=user.pk, permits=" ".join(sorted(permits)) or "none", by=actor)
