"""Removing an item of a study, or the study itself; and restoring it."""

from django.db import IntegrityError, transaction
from django.utils import timezone

from annotation.core.consent import Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.versions import State
from annotation.models import Study, StudyFile
from annotation.overview.operations.naming import (
    HoldingParameters,
    by_number,
    compare_with_queries,
    named,
    note_holding,
)
from annotation.overview.queries.holdings import (
    PARTS,
    rows_of,
    study_holding,
    what_goes_along,
    what_lacks,
    why_not_removable,
)
from annotation.studies.operations.files import check_alone
from annotation.vocabulary import AuditAction
from metrics.errors import InputError
from pooling.removable import Removable


class Remove(Operation[Study, HoldingParameters]):
    """Remove something of a study, or the study. For a day that can be undone; then it is gone."""

    name = "remove"
    path = "remove"
    example = {"what": "report", "number": 7, "dry_run": True}
    title = "Remove"
    button = "Remove"
    subject = Study
    parameters = HoldingParameters
    asks_first = True

    def clean(self, subject: Study, parameters: HoldingParameters) -> HoldingParameters:
        return by_number(parameters, parameters.find(subject))

    def seen(self, subject: Study, parameters: HoldingParameters) -> State:
        return _facts(parameters.find(subject))

    def estimate(self, subject: Study, parameters: HoldingParameters) -> Estimate:
        row = parameters.find(subject)
        if refusal := why_not_removable(row):
            raise refusal
        return Estimate(facts=tuple(_facts(row).items()))

    def run(self, subject: Study, parameters: HoldingParameters, run: Run) -> Result:
        with transaction.atomic():
            # Serialises changes of the study's files, and removals.
            Study.objects.select_for_update().get(pk=subject.pk)
            row = parameters.find(subject)
            if refusal := why_not_removable(row):
                raise refusal
            _hide(row)
            note_holding(row, actor=run.actor.name, action=AuditAction.REMOVED, **_facts(row))
            compare_with_queries(row, is_back=False)
        return Result(named(row), f"Removed: {row.label}. You can restore it for a day.")


class UndoRemoval(Operation[Study, HoldingParameters]):
    """Bring back what was removed within the last day, with all that went along."""

    name = "undo removal"
    path = "undo-removal"
    example = {"what": "report", "number": 7}
    title = "Undo removal"
    button = "Undo"
    subject = Study
    parameters = HoldingParameters
    of_removed = True

    def clean(self, subject: Study, parameters: HoldingParameters) -> HoldingParameters:
        return by_number(parameters, parameters.find(subject, is_removed=True))

    def run(self, subject: Study, parameters: HoldingParameters, run: Run) -> Result:
        with transaction.atomic():
            Study.everything.select_for_update().get(pk=subject.pk)
            row = parameters.find(subject, is_removed=True)
            _check(row)
            try:
                with transaction.atomic():
                    _show(row)
            except IntegrityError:
                raise _taken(row) from None
            note_holding(row, actor=run.actor.name, action=AuditAction.REMOVAL_UNDONE)
            compare_with_queries(row, is_back=True)
        return Result(named(row), f"Restored: {row.label}.")


def _facts(row: Removable) -> dict[str, str]:
    return {row.what.capitalize(): row.called, **dict(what_goes_along(row))}


def _hide(row: Removable) -> None:
    """Mark the row and its dependants with one time, so that undoing restores exactly these."""
    row.removed_at = timezone.now()
    row.save(update_fields=["removed_at"])
    for kind in PARTS if isinstance(row, Study) else ():
        rows_of(study_holding(row), kind).filter(removed_at=None).update(removed_at=row.removed_at)


def _check(row: Removable) -> None:
    study = study_holding(row)
    if row != study and study.removed_at:
        raise InputError("the study itself is removed.", remedy="Restore the study first.")
    if lacking := what_lacks(row):
        raise InputError(
            f"{row.label} depends on {', '.join(lacking)}, which is removed, too.",
            remedy="Restore that first.",
        )
    if isinstance(row, StudyFile) and row.archived_at is None:
        check_alone(study, row.kind, row.name)


def _show(row: Removable) -> None:
    # Items removed before the study stay removed.
    for kind in PARTS if isinstance(row, Study) else ():
        rows_of(study_holding(row), kind).filter(removed_at=row.removed_at).update(removed_at=None)
    row.removed_at = None
    row.save(update_fields=["removed_at"])


def _taken(row: Removable) -> InputError:
    what = "it, or something of it," if isinstance(row, Study) else "it"
    return InputError(
        f"a name has been taken since: {row.label} cannot be restored.",
        remedy=f"Rename what now has the name of {what}.",
    )


REMOVE = Remove()
UNDO_REMOVAL = UndoRemoval()
