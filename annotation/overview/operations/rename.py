"""Renaming an item of a study, or the study itself."""

from dataclasses import dataclass
from typing import Any

from django.db import IntegrityError, transaction
from django.db.models import QuerySet

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Batch, Study, StudyFile, StudyReport
from annotation.overview.operations.naming import (
    HoldingParameters,
    by_number,
    named,
    note_holding,
)
from annotation.overview.queries.holdings import rows_of, what_needs
from annotation.vocabulary import LONGEST_OWN_NAME, AuditAction, FileKind
from metrics.errors import InputError
from metrics.runs import check_run_name
from pooling.removable import Removable


@dataclass(frozen=True, kw_only=True)
class RenameParameters(HoldingParameters):
    new_name: str = parameter(
        max_length=LONGEST_OWN_NAME,
        label="New name",
        help_text="Must be new among those of its kind.",
    )


class Rename(Operation[Study, RenameParameters]):
    """Give something of a study, or the study, another name. Exported files keep the old one."""

    name = "rename"
    path = "rename"
    example = {"what": "report", "number": 7, "new_name": "without BM25"}
    title = "Rename"
    button = "Rename"
    subject = Study
    parameters = RenameParameters

    def clean(self, subject: Study, parameters: RenameParameters) -> RenameParameters:
        row = parameters.find(subject)
        _check_name(row, parameters.new_name)
        return by_number(parameters, row)

    def run(self, subject: Study, parameters: RenameParameters, run: Run) -> Result:
        new, before = parameters.new_name.strip(), ""
        try:
            with transaction.atomic():
                Study.objects.select_for_update().get(pk=subject.pk)
                row = parameters.find(subject)
                called, before = row.called, row.name
                _check_name(row, new)
                if before != new:
                    _check_differs(subject, row, new)
                    _carry(row, before, new)
                    note_holding(row, actor=run.actor.name, action=AuditAction.RENAMED, now=new)
                    row.name = new
                    row.save(update_fields=["name"])
        except IntegrityError:
            raise InputError(
                f"a {row.what} named {new!r} exists.", remedy="Choose another name."
            ) from None
        if isinstance(row, Study):
            subject.name = new
        return Result({**named(row), "name": new}, f"{called} is {new} now.")


def _check_differs(study: Study, row: Removable, name: str) -> None:
    """Case alone tells no two names apart: of the site's studies, batches and pools, or a study's.

    Runs and other files are named for themselves.
    """
    others: QuerySet[Any] = type(row).objects.exclude(pk=row.pk)
    if isinstance(row, StudyFile | StudyReport):
        others = others.filter(study=study)
    if isinstance(row, StudyFile):
        others = others.filter(kind=row.kind)
    if others.filter(name__iexact=name).exists():
        raise InputError(f"a {row.what} named {name!r} exists.", remedy="Choose another name.")


def _check_name(row: Removable, name: str) -> None:
    if not name.strip() or not name.isprintable() or ("/" in name and not isinstance(row, Study)):
        raise InputError(
            f"{name!r} is not a name for a {row.what}.",
            remedy="Use printable characters without a slash.",
        )
    if isinstance(row, StudyFile) and row.kind == FileKind.RUN:
        check_run_name(name.strip())
        if needing := what_needs(row):
            raise InputError(
                f"{', '.join(needing)} {'name' if len(needing) > 1 else 'names'} the run as it is.",
                remedy="Keep its name: results must be traceable.",
            )


def _carry(row: Removable, before: str, new: str) -> None:
    """Rename it in other rows, too, so that they mean the same."""
    if isinstance(row, StudyFile) and row.kind == FileKind.MAGNITUDES:
        for report in rows_of(row.study, StudyReport):
            named = report.parameters
            others = named.get("sensitivity", [])
            if before in (named.get("scored"), *others):
                named["scored"] = new if named["scored"] == before else named["scored"]
                named["sensitivity"] = [new if name == before else name for name in others]
                report.save(update_fields=["parameters"])
    if isinstance(row, Batch):
        for batch in Batch.everything.exclude(conditions={}):
            barred = batch.conditions.get("not_from") or []
            if before in barred:
                names = [new if name == before else name for name in barred]
                batch.conditions["not_from"] = names
                batch.save(update_fields=["conditions"])


RENAME = Rename()
