"""How the things of a study are named to an operation: by kind, and by number or name."""

from dataclasses import dataclass, replace
from typing import TypeVar

from annotation.core.parameters import LARGEST_KEY, parameter
from annotation.models import AuditEvent, Study
from annotation.overview.queries.things import Thing, thing_find
from annotation.studies.operations.files import coverage_refresh
from annotation.vocabulary import AuditAction, FileKind, ThingKind


@dataclass(frozen=True, kw_only=True)
class ThingParameters:
    what: str = parameter(
        choices=ThingKind.choices, label="What it is", help_text="The study itself has no number."
    )
    number: int = parameter(
        0, min_value=0, max_value=LARGEST_KEY, help_text="Its number, as in its address."
    )
    name: str = parameter(
        "",
        max_length=100,
        allow_blank=True,
        help_text="Its name, where no number is given.",
    )

    def find(self, study: Study, *, is_removed: bool = False) -> Thing:
        """The thing that is meant; `InputError` if the study has none such."""
        kind = ThingKind(self.what)
        return thing_find(
            study=study, kind=kind, number=self.number, name=self.name, is_removed=is_removed
        )


AnyThing = TypeVar("AnyThing", bound=ThingParameters)


def by_number(parameters: AnyThing, thing: Thing) -> AnyThing:
    """The same parameters: what was named at first is meant for good."""
    number = 0 if thing.kind == ThingKind.STUDY else thing.row.pk
    return replace(parameters, number=number, name="")


def compare_with_queries(thing: Thing, *, is_back: bool) -> None:
    """Let the runs say how they cover the queries, where a file that matters came or went."""
    matter = (FileKind.QUERIES, FileKind.RUN) if is_back else (FileKind.QUERIES,)
    if thing.kind == ThingKind.FILE and thing.row.kind in matter:
        coverage_refresh(study=thing.study)


def note_thing(thing: Thing, *, actor: str, action: AuditAction, **more: str) -> None:
    """Let the log of the study have it."""
    named = {"what": str(thing.kind), "number": thing.row.pk, "name": thing.name}
    AuditEvent.objects.create(
        study=thing.study, actor=actor, action=action, detail={**named, **more}
    )
