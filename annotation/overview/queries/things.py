"""The things of a study that are renamed, archived and removed: which they are, what needs them."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat

from annotation.models import (
    Abstention,
    Batch,
    Label,
    Study,
    StudyFile,
    StudyPool,
    StudyReport,
    Task,
    Vote,
)
from annotation.models.tasks import LIVE_STATES
from annotation.studies.queries.made_from import file_digests, made_from_files
from annotation.vocabulary import BatchState, TaskKind, ThingKind
from metrics.errors import InputError
from pooling.models import Pool

#: Of these a study consists; each row knows when it was archived and removed.
PARTS = (ThingKind.FILE, ThingKind.POOL, ThingKind.BATCH, ThingKind.REPORT)
#: Nobody has worked or was paid for these: the others are archived, and never removed.
REMOVABLE_STATES = (BatchState.DRAFT, BatchState.IMPORTED)


@dataclass(frozen=True)
class Thing:
    """Something of `study`, or the study itself; `row` is what is stored of it."""

    study: Study
    kind: ThingKind
    row: Any

    @property
    def name(self) -> str:
        """What people call it."""
        return str(self.row.title if self.kind == ThingKind.REPORT else self.row.name)

    @property
    def label(self) -> str:
        """What it is, with its name, as in a sentence."""
        if self.kind == ThingKind.FILE:
            return f"the file {self.name} ({self.row.get_kind_display().lower()})"
        is_unnamed = self.kind == ThingKind.REPORT and not self.row.name
        return f"the bias report {self.row.pk}" if is_unnamed else f"the {self.noun} {self.name}"

    @property
    def noun(self) -> str:
        """What it is."""
        return self.kind.label.lower()

    @property
    def archived_at(self) -> datetime | None:
        """Since when it is out of the way."""
        return self.row.archived_at  # type: ignore[no-any-return] # of one of five tables

    @property
    def removed_at(self) -> datetime | None:
        """Since when it is hidden."""
        return self.row.removed_at  # type: ignore[no-any-return] # of one of five tables


def rows_of(study: Study, kind: ThingKind) -> QuerySet[Any]:
    """All rows of this kind in the study, those that are removed, too."""
    match kind:
        case ThingKind.STUDY:
            return Study.everything.filter(pk=study.pk)
        case ThingKind.FILE:
            return StudyFile.everything.filter(study=study)
        case ThingKind.POOL:
            return Pool.everything.filter(belongs__study=study)
        case ThingKind.BATCH:
            return Batch.everything.filter(study=study)
        case ThingKind.REPORT:
            return StudyReport.everything.filter(study=study)


def thing_find(
    *, study: Study, kind: ThingKind, number: int = 0, name: str = "", is_removed: bool = False
) -> Thing:
    """The thing of this number, or else of this name; `InputError` if the study has none such."""
    rows = rows_of(study, kind).filter(removed_at__isnull=not is_removed)
    if kind != ThingKind.STUDY:
        rows = rows.filter(pk=number) if number else rows.filter(name=name or None)
    found = list(rows.order_by("-pk")[:2])
    if not found or (len(found) > 1 and not is_removed):
        what = f"number {number}" if number else f"the name {name!r}"
        many = "more than one" if found else "no"
        raise InputError(
            f"the study {study.name!r} has {many} {'removed ' * is_removed}{kind.label.lower()} "
            f"with {what}.",
            remedy="The study's page “Archived and removed” and its lists have them with numbers.",
        )
    return Thing(study, kind, found[0])


def things_put_away(*, study: Study) -> tuple[list[Thing], list[Thing]]:
    """What of the study is archived, and what is removed and can still be brought back."""
    parts = [Thing(study, kind, row) for kind in PARTS for row in rows_of(study, kind)]
    removed = [part for part in parts if part.removed_at]
    return (
        [part for part in parts if part.archived_at and not part.removed_at],
        sorted(removed, key=lambda part: part.row.removed_at, reverse=True),
    )


def what_needs(thing: Thing) -> list[str]:
    """What stands on the thing and is not removed: each in words."""
    study, row = thing.study, thing.row
    match thing.kind:
        case ThingKind.FILE:
            return made_from_files(study=study).get(row.digest, [])
        case ThingKind.POOL:
            return [f"the batch {name}" for name in _names(row.batches.all())]
        case ThingKind.BATCH:
            return [
                Thing(study, ThingKind.REPORT, report).label
                for report in study.reports.all()
                if row.pk in report.parameters.get("batches", ())
            ]
    return []


def what_lacks(thing: Thing) -> list[str]:
    """What the thing stands on that is removed: it cannot come back before that does."""
    study, row = thing.study, thing.row
    if thing.kind == ThingKind.BATCH:
        return [f"the pool {row.pool}"] if row.pool and row.pool.removed_at else []
    digests = file_digests(thing.kind, row)
    digests -= {file.digest for file in study.files.all()}
    files = rows_of(study, ThingKind.FILE)
    lacking = [Thing(study, ThingKind.FILE, file).label for file in files if file.digest in digests]
    if thing.kind == ThingKind.REPORT:
        batches = rows_of(study, ThingKind.BATCH).filter(pk__in=row.parameters.get("batches", ()))
        lacking += [f"the batch {one.name}" for one in batches if one.removed_at]
    return lacking


def what_goes_along(thing: Thing) -> list[tuple[str, str]]:
    """What is in the thing and goes with it, for people."""
    study, row = thing.study, thing.row
    match thing.kind:
        case ThingKind.STUDY:
            counts = [(kind.label, rows_of(study, kind)) for kind in PARTS]
            facts = [(f"{name}s", f"{n:,}") for name, rows in counts if (n := _n_kept(rows))]
            return [*facts, *_work_in(study.batches.all())]
        case ThingKind.FILE:
            size = str(filesizeformat(row.size))
            stays = "stays where it is on the server" if row.is_pointed else size
            return [("File", stays)]
        case ThingKind.POOL:
            return [("Pooled queries", f"{row.queries.count():,}")]
        case ThingKind.BATCH:
            return [("Queries", f"{row.queries.count():,}"), *_work_in([row])]
        case ThingKind.REPORT:
            return [("Runs measured", ", ".join(row.parameters.get("runs", ())))]


def why_not_removable(thing: Thing) -> InputError | None:
    """Why the thing cannot be removed now, and what to do instead."""
    study, row = thing.study, thing.row
    batches = study.batches.all() if thing.kind == ThingKind.STUDY else []
    public = [one.name for one in batches if one.state not in REMOVABLE_STATES]
    if thing.kind == ThingKind.BATCH and row.state not in REMOVABLE_STATES:
        public = [row.name]
    if public:
        return InputError(
            f"the batch {public[0]} was published: money and votes hang on it.",
            remedy=f"Archive the {thing.noun} instead: then it is out of the way.",
        )
    if _live_tasks(thing).exists():
        return InputError(
            f"something is being made of {thing.label}.", remedy="Wait for it, or cancel it."
        )
    if needing := what_needs(thing):
        return InputError(
            f"{', '.join(needing)} {'stand' if len(needing) > 1 else 'stands'} on {thing.label}.",
            remedy=f"Archive the {thing.noun} instead, so that results can be traced, or remove "
            "what stands on it first.",
        )
    return None


def _live_tasks(thing: Thing) -> QuerySet[Task]:
    study = thing.study
    live = Task.objects.filter(state__in=LIVE_STATES)
    of_study = live.filter(study=study)
    match thing.kind:
        case ThingKind.STUDY:
            return of_study | live.filter(batch__study=study)
        case ThingKind.REPORT:
            return of_study.filter(kind=TaskKind.REPORT, arguments__report=thing.row.pk)
        case ThingKind.BATCH:
            return of_study | live.filter(batch=thing.row)
    return of_study


def _work_in(batches: Iterable[Batch]) -> list[tuple[str, str]]:
    """Votes and labels, where there are any."""
    counts = {
        "Votes": Vote.objects.filter(query__batch__in=batches).count()
        + Abstention.objects.filter(query__batch__in=batches).count(),
        "Labels": Label.objects.filter(query__batch__in=batches).count(),
    }
    return [(name, f"{n:,}") for name, n in counts.items() if n]


def _n_kept(rows: QuerySet[Any]) -> int:
    return rows.filter(removed_at=None).count()


def _names(batches: Iterable[Batch]) -> list[str]:
    return [batch.name for batch in batches]


def paths_in_use() -> set[str]:
    """Every path of the storage that a row names, also of what is removed but not deleted."""
    stored = StudyFile.everything.filter(is_pointed=False).values_list("path", flat=True)
    files = StudyReport.everything.values_list("files", flat=True)
    pools = StudyPool.everything.values_list("documents", flat=True)
    return {*stored, *(path for held in [*files, *pools] for path in stored_paths(held))}


def stored_paths(held: dict[str, Any]) -> list[str]:
    """The paths among the files of a report or the documents of a pool."""
    return [one["path"] for one in held.values() if isinstance(one, dict) and "path" in one]
