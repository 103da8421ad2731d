"""Rows of a study that can be renamed, archived and removed, and the rows that need them."""

from collections.abc import Iterable
from typing import Any

from django.db.models import QuerySet
from django.template.defaultfilters import filesizeformat

from annotation.models import (
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
from annotation.vocabulary import BatchState, TaskKind
from metrics.errors import InputError
from pooling.models import Pool
from pooling.removable import Removable

#: Models of a study's items, whose rows have the times of archiving and removal.
PARTS: tuple[type[Removable], ...] = (StudyFile, Pool, Batch, StudyReport)
#: States of batches without work or pay: others can be archived, but never removed.
REMOVABLE_STATES = (BatchState.DRAFT, BatchState.IMPORTED)


def study_holding(row: Removable) -> Study:
    """The study that the row is of, or is."""
    match row:
        case Study():
            return row
        case Pool():
            return StudyPool.everything.get(pool=row).study
    study: Study = row.study  # type: ignore[attr-defined] # of one of three tables
    return study


def rows_of(study: Study, kind: type[Removable]) -> QuerySet[Any]:
    """Return all rows of this kind in the study, removed ones included."""
    if kind is Study:
        return Study.everything.filter(pk=study.pk)
    return kind.everything.filter(**{"belongs__study" if kind is Pool else "study": study})


def put_away(*, study: Study) -> tuple[list[Removable], list[Removable]]:
    """Return the archived rows of the study, and the removed ones that can still be restored."""
    parts = [row for kind in PARTS for row in rows_of(study, kind)]
    removed = [row for row in parts if row.removed_at]
    return (
        [row for row in parts if row.archived_at and not row.removed_at],
        sorted(removed, key=lambda row: row.removed_at, reverse=True),
    )


def what_needs(row: Removable) -> list[str]:
    """Describe the rows that need this one and are not removed."""
    match row:
        case StudyFile():
            return made_from_files(study=row.study).get(row.digest, [])
        case Pool():
            samples = [sample.pool for sample in row.samples.select_related("pool")]
            kept = [pool.label for pool in samples if pool.removed_at is None]
            return [*kept, *(batch.label for batch in row.batches.all())]
        case Batch():
            reports = study_holding(row).reports.all()
            return [
                report.label for report in reports if row.pk in report.parameters.get("batches", ())
            ]
    return []


def what_lacks(row: Removable) -> list[str]:
    """Describe the removed rows that this one needs, which have to be restored before it."""
    study = study_holding(row)
    if isinstance(row, Batch):
        return [row.pool.label] if row.pool and row.pool.removed_at else []
    digests = file_digests(row) - {file.digest for file in study.files.all()}
    lacking = [file.label for file in rows_of(study, StudyFile) if file.digest in digests]
    if isinstance(row, StudyReport):
        batches = rows_of(study, Batch).filter(pk__in=row.parameters.get("batches", ()))
        lacking += [batch.label for batch in batches if batch.removed_at]
    return lacking


def what_goes_along(row: Removable) -> list[tuple[str, str]]:
    """The contents that go with the row, for people."""
    match row:
        case Study():
            counts = [(kind.what.capitalize(), rows_of(row, kind)) for kind in PARTS]
            facts = [(f"{name}s", f"{n:,}") for name, rows in counts if (n := _n_kept(rows))]
            return [*facts, *_work_in(row.batches.all())]
        case StudyFile():
            size = str(filesizeformat(row.size))
            stays = "stays where it is on the server" if row.is_pointed else size
            return [("File", stays)]
        case Pool():
            return [("Pooled queries", f"{row.queries.count():,}")]
        case Batch():
            return [("Queries", f"{row.queries.count():,}"), *_work_in([row])]
        case StudyReport():
            return [("Runs measured", ", ".join(row.parameters.get("runs", ())))]
    return []


def why_not_removable(row: Removable) -> InputError | None:
    """Say why the row cannot be removed now, and what to do instead."""
    batches = row.batches.all() if isinstance(row, Study) else [row]
    public = [
        batch.name
        for batch in batches
        if isinstance(batch, Batch) and batch.state not in REMOVABLE_STATES
    ]
    if public:
        return InputError(
            f"the batch {public[0]} was published: money and votes belong to it.",
            remedy=f"Archive the {row.what} instead: then it is out of the way.",
        )
    if _live_tasks(row).exists():
        return InputError(f"a job is using {row.label}.", remedy="Wait for it, or cancel it.")
    if needing := what_needs(row):
        return InputError(
            f"{', '.join(needing)} {'depend' if len(needing) > 1 else 'depends'} on {row.label}.",
            remedy=f"Archive the {row.what} instead, so that results can be traced, or first "
            "remove what depends on it.",
        )
    return None


def _live_tasks(row: Removable) -> QuerySet[Task]:
    live = Task.objects.filter(state__in=LIVE_STATES)
    of_study = live.filter(study=study_holding(row))
    match row:
        case Study():
            return of_study | live.filter(batch__study=row)
        case StudyReport():
            return of_study.filter(kind=TaskKind.REPORT, arguments__report=row.pk)
        case Batch():
            return of_study | live.filter(batch=row)
    return of_study


def _work_in(batches: Iterable[Batch]) -> list[tuple[str, str]]:
    """Votes and labels, where there are any."""
    counts = {
        "Votes": Vote.objects.filter(query__batch__in=batches).count(),
        "Labels": Label.objects.filter(query__batch__in=batches).count(),
    }
    return [(name, f"{n:,}") for name, n in counts.items() if n]


def _n_kept(rows: QuerySet[Any]) -> int:
    return rows.filter(removed_at=None).count()


def paths_in_use() -> set[str]:
    """Return every path of the storage that a row names, removed rows included."""
    stored = StudyFile.everything.filter(is_pointed=False).values_list("path", flat=True)
    files = StudyReport.everything.values_list("files", flat=True)
    pools = StudyPool.everything.values_list("documents", flat=True)
    return {*stored, *(path for held in [*files, *pools] for path in stored_paths(held))}


def stored_paths(held: dict[str, Any]) -> list[str]:
    """The paths among the files of a report or the documents of a pool."""
    return [file["path"] for file in held.values() if isinstance(file, dict) and "path" in file]
