"""Names of a study's items in operations: their kind, and their number or name."""

from dataclasses import dataclass, replace
from typing import Any, TypeVar

from annotation.core.parameters import LARGEST_KEY, parameter
from annotation.models import AuditEvent, Study, StudyFile
from annotation.overview.queries.holdings import PARTS, rows_of, study_holding
from annotation.studies.operations.files import refresh_coverage
from annotation.vocabulary import LONGEST_OWN_NAME, AuditAction, FileKind
from metrics.errors import InputError
from pooling.removable import Removable

_ALL: tuple[type[Removable], ...] = (Study, *PARTS)
#: Kinds of items, by their names for programs.
KINDS = {kind.noun: kind for kind in _ALL}
CHOICES = [(kind.noun, kind.what.capitalize()) for kind in _ALL]


@dataclass(frozen=True, kw_only=True)
class HoldingParameters:
    what: str = parameter(
        choices=CHOICES,
        label="What it is",
        help_text="The study itself has no number.",
    )
    number: int = parameter(
        0, min_value=0, max_value=LARGEST_KEY, help_text="Its number, as in its address."
    )
    name: str = parameter(
        "",
        max_length=LONGEST_OWN_NAME,
        allow_blank=True,
        help_text="Its name, where no number is given.",
    )

    def find(self, study: Study, *, is_removed: bool = False) -> Any:
        """Return the named row; `InputError` if the study does not have it."""
        kind, number = KINDS[self.what], self.number
        rows = rows_of(study, kind).filter(removed_at__isnull=not is_removed)
        if kind is not Study:
            rows = rows.filter(pk=number) if number else rows.filter(name=self.name or None)
        elif number:  # a study needs none; a number given means that study
            rows = rows.filter(pk=number)
        matches = list(rows.order_by("-pk")[:2])
        if not matches or (len(matches) > 1 and not is_removed):
            named = f"number {number}" if number else f"the name {self.name!r}"
            many = "more than one" if matches else "no"
            raise InputError(
                f"the study {study.name!r} has {many} {'removed ' * is_removed}"
                f"{kind.what} with {named}.",
                remedy="The study's page “Archived and removed” and its lists have them with "
                "numbers.",
            )
        return matches[0]


AnyHolding = TypeVar("AnyHolding", bound=HoldingParameters)


def by_number(parameters: AnyHolding, row: Removable) -> AnyHolding:
    """Return the parameters with the item's number, so that they mean this item from now on."""
    return replace(parameters, number=0 if isinstance(row, Study) else row.pk, name="")


def named(row: Removable) -> dict[str, Any]:
    """The row's noun, for programs and the log."""
    return {"what": row.noun, "number": row.pk, "name": row.called}


def compare_with_queries(row: Removable, *, is_back: bool) -> None:
    """Update the runs' coverage of the queries, if a relevant file was added or removed."""
    matter = (FileKind.QUERIES, FileKind.RUN) if is_back else (FileKind.QUERIES,)
    if isinstance(row, StudyFile) and row.kind in matter:
        refresh_coverage(study=row.study)


def note_holding(row: Removable, *, actor: str, action: AuditAction, **more: str) -> None:
    """Write an entry into the log of the study."""
    AuditEvent.objects.create(
        study=study_holding(row), actor=actor, action=action, detail={**named(row), **more}
    )
