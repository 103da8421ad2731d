"""Changing name and description of a study."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import AuditEvent, Study
from annotation.vocabulary import LONGEST_DESCRIPTION, LONGEST_OWN_NAME, AuditAction
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class ChangeStudyParameters:
    name: str | None = parameter(None, max_length=LONGEST_OWN_NAME, allow_null=True)
    description: str | None = parameter(
        None, max_length=LONGEST_DESCRIPTION, allow_null=True, allow_blank=True
    )


class ChangeStudy(Operation[Study, ChangeStudyParameters]):
    """Give the study another name or description."""

    name = "change study"
    command = "study change"
    example = {"description": "Queries of the dev set"}
    title = "Change study"
    subject = Study
    parameters = ChangeStudyParameters

    def run(self, subject: Study, parameters: ChangeStudyParameters, run: Run) -> Result:
        kept = {"name": subject.name, "description": subject.description}
        changes = {name: value for name, value in vars(parameters).items() if value is not None}
        name, description = check_words(**kept | changes)
        if {"name": name, "description": description} == kept:
            return Result(made=subject)
        before = subject.name
        if Study.objects.exclude(pk=subject.pk).filter(name__iexact=name).exists():
            raise name_is_taken(name)
        detail = {"before": before, "now": name} if name != before else {"name": name}
        with transaction.atomic():
            subject.name, subject.description = name, description
            try:
                with transaction.atomic():
                    subject.save(update_fields=["name", "description"])
            except IntegrityError:
                raise name_is_taken(name) from None
            AuditEvent.objects.create(
                study=subject,
                actor=run.actor.name,
                action=AuditAction.STUDY_CHANGED,
                detail=detail,
            )
        return Result(made=subject)


def check_words(name: str, description: str) -> tuple[str, str]:
    """Strip and check name and description of a study; `InputError` if unfit."""
    name, description = name.strip(), description.strip()
    if not name or len(name) > LONGEST_OWN_NAME or not name.isprintable():
        raise InputError(
            f"{name!r} is not a name for a study.",
            remedy=f"Use up to {LONGEST_OWN_NAME} printable characters.",
        )
    if len(description) > LONGEST_DESCRIPTION or "\x00" in description:
        raise InputError(f"the description has more than {LONGEST_DESCRIPTION:,} characters.")
    return name, description


def name_is_taken(name: str) -> InputError:
    """The error for a name that another study has."""
    return InputError(f"a study named {name!r} exists.", remedy="Choose another name.")


CHANGE_STUDY = ChangeStudy()
