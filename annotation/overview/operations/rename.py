"""Give something of a study, or the study itself, another name."""

from dataclasses import dataclass

from django.db import IntegrityError, transaction

from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Batch, Study
from annotation.overview.operations.naming import ThingParameters, by_number, note_thing
from annotation.overview.queries.things import Thing, rows_of, what_needs
from annotation.vocabulary import AuditAction, FileKind, ThingKind
from metrics.errors import InputError
from metrics.runs import check_run_name


@dataclass(frozen=True, kw_only=True)
class RenameParameters(ThingParameters):
    new_name: str = parameter(
        max_length=100, label="New name", help_text="Must be new among those of its kind."
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
        thing = parameters.find(subject)
        _check_name(thing, parameters.new_name)
        return by_number(parameters, thing)

    def run(self, subject: Study, parameters: RenameParameters, run: Run) -> Result:
        new, before = parameters.new_name.strip(), ""
        try:
            with transaction.atomic():
                Study.objects.select_for_update().get(pk=subject.pk)
                thing = parameters.find(subject)
                _check_name(thing, new)
                before = thing.row.name
                if before != new:
                    rows_of(subject, thing.kind).filter(pk=thing.row.pk).update(name=new)
                    _carry(thing, before, new)
                    note_thing(thing, actor=run.actor.name, action=AuditAction.RENAMED, now=new)
        except IntegrityError:
            raise InputError(
                f"a {thing.noun} named {new!r} exists.", remedy="Choose another name."
            ) from None
        if thing.kind == ThingKind.STUDY:
            subject.name = new
        values = {"what": parameters.what, "number": thing.row.pk, "name": new}
        return Result(values, f"{thing.name} is {new} now.")


def _check_name(thing: Thing, name: str) -> None:
    if (
        not name.strip()
        or not name.isprintable()
        or (thing.kind != ThingKind.STUDY and "/" in name)
    ):
        raise InputError(
            f"{name!r} is no name for a {thing.noun}.",
            remedy="Use printable characters without a slash.",
        )
    if thing.kind == ThingKind.FILE and thing.row.kind == FileKind.RUN:
        check_run_name(name.strip())
        if needing := what_needs(thing):
            raise InputError(
                f"{', '.join(needing)} {'name' if len(needing) > 1 else 'names'} the run as it is.",
                remedy="Keep its name: results must be traceable.",
            )


def _carry(thing: Thing, before: str, new: str) -> None:
    """Where others name it, they mean the same afterwards."""
    if thing.kind == ThingKind.FILE and thing.row.kind == FileKind.MAGNITUDES:
        for report in rows_of(thing.study, ThingKind.REPORT):
            if report.parameters.get("scored") == before:
                report.parameters["scored"] = new
                report.save(update_fields=["parameters"])
    if thing.kind == ThingKind.BATCH:
        for batch in Batch.everything.exclude(conditions={}):
            barred = batch.conditions.get("not_from") or []
            if before in barred:
                names = [new if name == before else name for name in barred]
                batch.conditions["not_from"] = names
                batch.save(update_fields=["conditions"])


RENAME = Rename()
