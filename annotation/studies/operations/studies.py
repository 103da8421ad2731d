"""Saying later what a study is about."""

from django.db import IntegrityError, transaction

from annotation.models import AuditEvent, Study
from annotation.vocabulary import AuditAction
from metrics.errors import InputError

_LONGEST_NAME = 100
_LONGEST_DESCRIPTION = 2_000


def study_change(*, study: Study, name: str, description: str, actor: str) -> Study:
    """Give the study another name or description."""
    name, description = check_words(name, description)
    if (name, description) == (study.name, study.description):
        return study
    detail = {"before": study.name, "now": name} if name != study.name else {"name": name}
    with transaction.atomic():
        study.name, study.description = name, description
        try:
            with transaction.atomic():
                study.save(update_fields=["name", "description"])
        except IntegrityError:
            raise name_is_taken(name) from None
        AuditEvent.objects.create(
            study=study, actor=actor, action=AuditAction.STUDY_CHANGED, detail=detail
        )
    return study


def check_words(name: str, description: str) -> tuple[str, str]:
    """The name and description of a study without blanks around them; `InputError` if unfit."""
    name, description = name.strip(), description.strip()
    if not name or len(name) > _LONGEST_NAME or not name.isprintable():
        raise InputError(
            f"{name!r} is no name for a study.",
            remedy=f"Use up to {_LONGEST_NAME} printable characters.",
        )
    if len(description) > _LONGEST_DESCRIPTION or "\x00" in description:
        raise InputError(f"the description has more than {_LONGEST_DESCRIPTION:,} characters.")
    return name, description


def name_is_taken(name: str) -> InputError:
    """What is wrong with a name that another study has."""
    return InputError(f"a study named {name!r} exists.", remedy="Choose another name.")
