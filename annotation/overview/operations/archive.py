"""Archiving an item of a study, or the study itself; and undoing it."""

from django.db import transaction
from django.utils import timezone

from annotation.core.operations import Operation, Result, Run
from annotation.models import Study, StudyFile
from annotation.overview.operations.naming import (
    HoldingParameters,
    by_number,
    compare_with_queries,
    named,
    note_holding,
)
from annotation.studies.operations.files import check_alone
from annotation.vocabulary import AuditAction
from metrics.errors import InputError


class Archive(Operation[Study, HoldingParameters]):
    """Archive an item: no list shows it, nothing new is made of it, all its data stay.

    HITs of an archived batch stay on offer, and their answers are still collected.
    """

    name = "archive"
    path = "archive"
    example = {"what": "report", "number": 7}
    title = "Archive"
    button = "Archive"
    subject = Study
    parameters = HoldingParameters
    is_archived = True

    def clean(self, subject: Study, parameters: HoldingParameters) -> HoldingParameters:
        return by_number(parameters, parameters.find(subject))

    def run(self, subject: Study, parameters: HoldingParameters, run: Run) -> Result:
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=subject.pk)
            row = parameters.find(subject)
            if bool(row.archived_at) == self.is_archived:
                already = "is archived already" if self.is_archived else "is not archived"
                raise InputError(f"{row.label} {already}.")
            if isinstance(row, StudyFile) and not self.is_archived:
                check_alone(subject, row.kind, row.name)
            row.archived_at = timezone.now() if self.is_archived else None
            row.save(update_fields=["archived_at"])
            done = AuditAction.ARCHIVED if self.is_archived else AuditAction.UNARCHIVED
            note_holding(row, actor=run.actor.name, action=done)
            compare_with_queries(row, is_back=not self.is_archived)
        return Result(named(row), f"{done.capitalize()}: {row.label}.")


class Unarchive(Archive):
    """Unarchive an item."""

    name = "unarchive"
    path = "unarchive"
    example = {"what": "report", "number": 7}
    title = "Unarchive"
    button = "Unarchive"
    is_archived = False


ARCHIVE = Archive()
UNARCHIVE = Unarchive()
