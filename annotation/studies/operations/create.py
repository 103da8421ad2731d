"""Create a study."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.accounts.queries.members import user_get
from annotation.core.access import is_staff
from annotation.core.operations import Actor, NotPermittedError, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Membership, Study
from annotation.studies.operations.studies import check_words, name_is_taken
from annotation.vocabulary import AuditAction, Permit, Role


@dataclass(frozen=True, kw_only=True)
class CreateStudyParameters:
    name: str = parameter(
        max_length=100,
        help_text="Must be new. Batches and files carry it.",
        style={"positional": True},
    )
    description: str = parameter(
        "",
        max_length=2_000,
        allow_blank=True,
        help_text="What it is about, for whoever works on it.",
        style={"rows": 3},
    )
    owner: str = parameter(
        "",
        max_length=150,
        allow_blank=True,
        help_text="User name of its first owner; left out, whoever creates it.",
        style={"hidden": True},
    )


class CreateStudy(Operation[None, CreateStudyParameters]):
    """Create a study. Only its members, and members of staff, see what belongs to it."""

    name = "create study"
    title = "New study"
    button = "Begin the study"
    subject = None
    parameters = CreateStudyParameters
    permission = None
    permit = Permit.CREATE_STUDIES

    def run(self, subject: None, parameters: CreateStudyParameters, run: Run) -> Result:
        name, description = check_words(parameters.name, parameters.description)
        owner = _owner(parameters.owner, run.actor)
        with transaction.atomic():
            try:
                with transaction.atomic():
                    study = Study.objects.create(name=name, description=description)
            except IntegrityError:
                raise name_is_taken(name) from None
            if owner is not None:
                Membership.objects.create(study=study, user=owner, role=Role.OWNER)
            username = owner.get_username() if owner else None
            AuditEvent.objects.create(
                study=study,
                actor=run.actor.name,
                action=AuditAction.STUDY_CREATED,
                detail={"name": name} | ({"owner": username} if username else {}),
            )
        whose = f"It belongs to {username}." if owner else "It has no owner yet."
        return Result(
            {"name": name, "number": study.pk, "owner": username},
            f"Study {name} is made. {whose}",
            made=study,
        )


def _owner(username: str, actor: Actor) -> User | None:
    """The first owner; without one, only members of staff see the study."""
    if not username:
        return actor.user if isinstance(actor.user, User) else None
    owner = user_get(username=username)
    if actor.user is not None and actor.user != owner and not is_staff(actor.user):
        raise NotPermittedError(
            "only members of staff create studies of others.", remedy="Leave the owner out."
        )
    return owner


CREATE_STUDY = CreateStudy()
