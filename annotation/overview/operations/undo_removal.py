"""Bring back what was removed."""

from django.db import IntegrityError, transaction

from annotation.core.operations import Operation, Result, Run
from annotation.models import Study
from annotation.overview.operations.naming import (
    ThingParameters,
    by_number,
    compare_with_queries,
    note_thing,
)
from annotation.overview.queries.things import PARTS, Thing, rows_of, what_lacks
from annotation.studies.operations.files import check_alone
from annotation.vocabulary import AuditAction, ThingKind
from metrics.errors import InputError


class UndoRemoval(Operation[Study, ThingParameters]):
    """Bring back what was removed within the last day, with all that went along."""

    name = "undo removal"
    path = "undo-removal"
    example = {"what": "report", "number": 7}
    title = "Undo removal"
    button = "Undo"
    subject = Study
    parameters = ThingParameters
    of_removed = True

    def clean(self, subject: Study, parameters: ThingParameters) -> ThingParameters:
        return by_number(parameters, parameters.find(subject, is_removed=True))

    def run(self, subject: Study, parameters: ThingParameters, run: Run) -> Result:
        with transaction.atomic():
            Study.everything.select_for_update().get(pk=subject.pk)
            thing = parameters.find(subject, is_removed=True)
            _check(thing)
            try:
                with transaction.atomic():
                    _show(thing)
            except IntegrityError:
                raise _taken(thing) from None
            note_thing(thing, actor=run.actor.name, action=AuditAction.REMOVAL_UNDONE)
            compare_with_queries(thing, is_back=True)
        return Result(
            {"what": parameters.what, "number": thing.row.pk, "name": thing.name},
            f"Back again: {thing.label}.",
        )


def _check(thing: Thing) -> None:
    if thing.kind != ThingKind.STUDY and rows_of(thing.study, ThingKind.STUDY).exclude(
        removed_at=None
    ):
        raise InputError("the study itself is removed.", remedy="Bring back the study first.")
    if lacking := what_lacks(thing):
        raise InputError(
            f"{thing.label} stands on {', '.join(lacking)}, which is removed, too.",
            remedy="Bring that back first.",
        )
    if thing.kind == ThingKind.FILE and thing.archived_at is None:
        check_alone(thing.study, thing.row.kind, thing.name)


def _show(thing: Thing) -> None:
    if thing.kind != ThingKind.STUDY:
        rows_of(thing.study, thing.kind).filter(pk=thing.row.pk).update(removed_at=None)
        return
    for kind in (ThingKind.STUDY, *PARTS):
        # What had been removed before the study was, stays removed.
        rows_of(thing.study, kind).filter(removed_at=thing.removed_at).update(removed_at=None)


def _taken(thing: Thing) -> InputError:
    what = "it, or something of it," if thing.kind == ThingKind.STUDY else "it"
    return InputError(
        f"a name is taken meanwhile: {thing.label} cannot come back.",
        remedy=f"Rename what is called like {what} now.",
    )


UNDO_REMOVAL = UndoRemoval()
