"""Archive something of a study, or the study itself; and take it up again."""

from django.db import transaction
from django.utils import timezone

from annotation.core.operations import Operation, Result, Run
from annotation.models import Study
from annotation.overview.operations.naming import (
    ThingParameters,
    by_number,
    compare_with_queries,
    note_thing,
)
from annotation.overview.queries.things import rows_of
from annotation.studies.operations.files import check_alone
from annotation.vocabulary import AuditAction, ThingKind
from metrics.errors import InputError


class Archive(Operation[Study, ThingParameters]):
    """Put something out of the way: no list shows it, nothing new is made of it, all it has stays.

    HITs of an archived batch stay on offer, and their answers are still collected.
    """

    name = "archive"
    path = "archive"
    example = {"what": "report", "number": 7}
    title = "Archive"
    button = "Archive"
    subject = Study
    parameters = ThingParameters
    is_archived = True

    def clean(self, subject: Study, parameters: ThingParameters) -> ThingParameters:
        return by_number(parameters, parameters.find(subject))

    def run(self, subject: Study, parameters: ThingParameters, run: Run) -> Result:
        with transaction.atomic():
            Study.objects.select_for_update().get(pk=subject.pk)
            thing = parameters.find(subject)
            if bool(thing.archived_at) == self.is_archived:
                already = "is archived already" if self.is_archived else "is not archived"
                raise InputError(f"{thing.label} {already}.")
            if thing.kind == ThingKind.FILE and not self.is_archived:
                check_alone(subject, thing.row.kind, thing.name)
            rows = rows_of(subject, thing.kind).filter(pk=thing.row.pk)
            rows.update(archived_at=timezone.now() if self.is_archived else None)
            done = AuditAction.ARCHIVED if self.is_archived else AuditAction.UNARCHIVED
            note_thing(thing, actor=run.actor.name, action=done)
            compare_with_queries(thing, is_back=not self.is_archived)
        return Result(
            {"what": parameters.what, "number": thing.row.pk, "name": thing.name},
            f"{done.capitalize()}: {thing.label}.",
        )


class Unarchive(Archive):
    """Take up again what was archived."""

    name = "unarchive"
    path = "unarchive"
    example = {"what": "report", "number": 7}
    title = "Unarchive"
    button = "Unarchive"
    is_archived = False


ARCHIVE = Archive()
UNARCHIVE = Unarchive()
