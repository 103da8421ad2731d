"""Create a study."""

from dataclasses import dataclass

from django.contrib.auth.models import User
from django.db import IntegrityError, transaction

from annotation.accounts.queries.members import get_user
from annotation.core.access import is_staff
from annotation.core.names import free_name, new_among
from annotation.core.operations import Actor, NotPermittedError, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Membership, Study
from annotation.studies.operations.studies import check_words, name_is_taken
from annotation.vocabulary import (
    LONGEST_DESCRIPTION,
    LONGEST_OWN_NAME,
    LONGEST_USERNAME,
    AuditAction,
    Permit,
    Role,
)


@dataclass(frozen=True, kw_only=True)
class CreateStudyParameters:
    name: str = parameter(
        max_length=LONGEST_OWN_NAME,
        help_text="Must be new. Batches and files carry it.",
        style={"positional": True},
    )
    description: str = parameter(
        "",
        max_length=LONGEST_DESCRIPTION,
        allow_blank=True,
        help_text="What it is about, for the people who work on it.",
        style={"rows": 3},
    )
    owner: str = parameter(
        "",
        max_length=LONGEST_USERNAME,
        allow_blank=True,
        help_text="User name of its first owner; left out, the person who creates it.",
        style={"hidden": True},
    )


class CreateStudy(Operation[None, CreateStudyParameters]):
    """Create a study. Only its members, and members of staff, see what belongs to it."""

    name = "create study"
    command = "study create"
    example = {"name": "gender-2026", "owner": "ada"}
    title = "New study"
    button = "Begin the study"
    subject = None
    parameters = CreateStudyParameters
    permission = None
    permit = Permit.CREATE_STUDIES

    def run(self, subject: None, parameters: CreateStudyParameters, run: Run) -> Result:
        owner = _owner(parameters.owner, run.actor)
        study = _create_study(parameters.name, parameters.description, owner, run.actor)
        username = owner.get_username() if owner else None
        whose = f"It belongs to {username}." if owner else "It has no owner yet."
        return Result(
            {"name": study.name, "number": study.pk, "owner": username},
            f"The study {study.name} was created. {whose}",
            made=study,
        )


def study_for(study: Study | None, *, name: str, actor: Actor) -> Study:
    """Return `study`, or a new one with the name of its first item, numbered if taken."""
    if study is not None:
        return study
    name = free_name(name, new_among(Study.objects))
    return _create_study(name, "", _owner("", actor), actor)


@transaction.atomic
def _create_study(name: str, description: str, owner: User | None, actor: Actor) -> Study:
    name, description = check_words(name, description)
    if not new_among(Study.objects)(name):
        raise name_is_taken(name)
    try:
        with transaction.atomic():
            study = Study.objects.create(name=name, description=description)
    except IntegrityError:
        raise name_is_taken(name) from None
    detail = {"name": name}
    if owner is not None:
        Membership.objects.create(study=study, user=owner, role=Role.OWNER)
        detail["owner"] = owner.get_username()
    AuditEvent.objects.create(
        study=study, actor=actor.name, action=AuditAction.STUDY_CREATED, detail=detail
    )
    return study


def _owner(username: str, actor: Actor) -> User | None:
    """The first owner; without one, only members of staff see the study."""
    if not username:
        return actor.user if isinstance(actor.user, User) else None
    owner = get_user(username=username)
    if actor.user is not None and actor.user != owner and not is_staff(actor.user):
        raise NotPermittedError(
            "only members of staff create studies of others.", remedy="Leave the owner out."
        )
    return owner


CREATE_STUDY = CreateStudy()
