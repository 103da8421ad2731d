"""Remove something of a study, or the study itself."""

from django.db import transaction
from django.utils import timezone

from annotation.core.consent import Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.versions import State
from annotation.models import Study
from annotation.overview.operations.naming import (
    ThingParameters,
    by_number,
    compare_with_queries,
    note_thing,
)
from annotation.overview.queries.things import (
    PARTS,
    Thing,
    rows_of,
    what_goes_along,
    why_not_removable,
)
from annotation.vocabulary import AuditAction, ThingKind


class Remove(Operation[Study, ThingParameters]):
    """Remove something of a study, or the study. For a day that can be undone; then it is gone."""

    name = "remove"
    path = "remove"
    example = {"what": "report", "number": 7, "dry_run": True}
    title = "Remove"
    button = "Remove"
    subject = Study
    parameters = ThingParameters
    asks_first = True

    def clean(self, subject: Study, parameters: ThingParameters) -> ThingParameters:
        return by_number(parameters, parameters.find(subject))

    def seen(self, subject: Study, parameters: ThingParameters) -> State:
        return _facts(parameters.find(subject))

    def estimate(self, subject: Study, parameters: ThingParameters) -> Estimate:
        thing = parameters.find(subject)
        if refusal := why_not_removable(thing):
            raise refusal
        return Estimate(facts=tuple(_facts(thing).items()))

    def run(self, subject: Study, parameters: ThingParameters, run: Run) -> Result:
        with transaction.atomic():
            # Whoever else changes the study's files, or removes of it, waits here.
            Study.objects.select_for_update().get(pk=subject.pk)
            thing = parameters.find(subject)
            if refusal := why_not_removable(thing):
                raise refusal
            _hide(thing)
            note_thing(thing, actor=run.actor.name, action=AuditAction.REMOVED, **_facts(thing))
            compare_with_queries(thing, is_back=False)
        return Result(
            {"what": parameters.what, "number": thing.row.pk, "name": thing.name},
            f"Removed: {thing.label}. It can be brought back for a day.",
        )


def _facts(thing: Thing) -> dict[str, str]:
    return {thing.kind.label: thing.name, **dict(what_goes_along(thing))}


def _hide(thing: Thing) -> None:
    """All that goes along has the same time, so that to undo it brings back exactly that."""
    now = timezone.now()
    kinds = (ThingKind.STUDY, *PARTS) if thing.kind == ThingKind.STUDY else (thing.kind,)
    for kind in kinds:
        rows = rows_of(thing.study, kind).filter(removed_at=None)
        rows = rows if thing.kind == ThingKind.STUDY else rows.filter(pk=thing.row.pk)
        rows.update(removed_at=now)


REMOVE = Remove()
