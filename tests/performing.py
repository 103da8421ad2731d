"""Operations done here and now, as a command does them."""

from typing import Any

from django.utils import timezone

from annotation.accounts.operations.invites import INVITE_MEMBER
from annotation.core.operations import Actor, AnyOperation, Result
from annotation.core.perform import perform_here
from annotation.models import Batch, Study, StudyFile, StudyReport
from annotation.overview.operations.delete_removed import delete_removed
from annotation.overview.operations.remove import REMOVE
from annotation.studies.operations.create import CREATE_STUDY
from annotation.vocabulary import Role
from pooling.models import Pool
from pooling.removable import KEPT_FOR


def do(operation: AnyOperation, subject: Any, **parameters: Any) -> Result:
    """Perform it as somebody on the command line, and wait for the end."""
    return perform_here(operation, subject, parameters, Actor("test"))


def remove(study: Study, what: str, row: Any) -> Result:
    """Remove something of the study; it is deleted for good a day later."""
    return do(REMOVE, study, what=what, number=row.pk)


def age_removed() -> int:
    """Let a day pass since things were removed, and the worker come by; how many were deleted."""
    for table in (Study, StudyFile, Pool, Batch, StudyReport):
        removed: Any = table
        removed.everything.exclude(removed_at=None).update(removed_at=timezone.now() - KEPT_FOR)
    return delete_removed()


def invite(study: Study, role: str = Role.VIEWER) -> str:
    """The token of a new link that makes one person a member."""
    token: str = do(INVITE_MEMBER, study, role=role).made.token
    return token


def create_study(name: str, owner: str = "") -> Study:
    """A new study; without an owner only members of staff see it."""
    made: Study = do(CREATE_STUDY, None, name=name, owner=owner).made
    return made
