"""Delete for good what was removed a day ago. Doing it again deletes what has become due since."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from functools import partial
from typing import Any

import structlog
from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from annotation.models import Batch, Study, StudyFile, StudyPool, StudyReport, Task
from annotation.models.tasks import LIVE_STATES
from annotation.overview.operations.naming import note_thing
from annotation.overview.queries.things import (
    PARTS,
    Thing,
    paths_in_use,
    rows_of,
    stored_paths,
    what_needs,
)
from annotation.reports.queries.bundles import bundle_folder
from annotation.studies.file_store import store
from annotation.vocabulary import AuditAction, ThingKind
from pooling.models import Pool
from pooling.removable import KEPT_FOR

log = structlog.get_logger(__name__)

_ACTOR = "schedule"


def removed_delete() -> int:
    """Delete what was removed more than a day ago, with its files; the number of things.

    What something stands on again, or a task is at, is left for the next time.
    """
    due = timezone.now() - KEPT_FOR
    deleted = 0
    for study in Study.everything.filter(removed_at__lt=due):
        if not Task.objects.filter(study=study, state__in=LIVE_STATES).exists():
            study_delete(study)
            deleted += 1
    # What stands on others goes first.
    for kind in reversed(PARTS):
        deleted += sum(_delete_due(thing) for thing in _due(kind, due))
    return deleted


def study_delete(study: Study) -> None:
    """Delete a study for good with all that is in it; pools of the study, and batches, too."""
    things = [Thing(study, kind, row) for kind in reversed(PARTS) for row in rows_of(study, kind)]
    with _forgetting_files(things):
        for thing in things:
            _delete(thing)
        study.delete()


def _due(kind: ThingKind, due: datetime) -> list[Thing]:
    tables: dict[ThingKind, Any] = {
        ThingKind.FILE: StudyFile,
        ThingKind.POOL: Pool,
        ThingKind.BATCH: Batch,
        ThingKind.REPORT: StudyReport,
    }
    rows = tables[kind].everything.filter(removed_at__lt=due)
    found = []
    for row in rows:
        study = row.belongs.study if kind == ThingKind.POOL else row.study
        if study.removed_at is None:
            found.append(Thing(study, kind, row))
    return found


def _delete_due(thing: Thing) -> bool:
    if what_needs(thing):
        return False
    try:
        with _forgetting_files([thing]):
            note_thing(thing, actor=_ACTOR, action=AuditAction.DELETED_FOR_GOOD)
            _delete(thing)
    except ProtectedError as error:
        log.warning("what was removed is needed again", thing=thing.label, why=str(error))
        return False
    return True


def _delete(thing: Thing) -> None:
    if thing.kind == ThingKind.BATCH:
        folder = bundle_folder(batch=thing.row)
        transaction.on_commit(lambda: shutil.rmtree(folder, ignore_errors=True))
    thing.row.delete()


@contextmanager
def _forgetting_files(things: list[Thing]) -> Iterator[None]:
    """Within a transaction; once it is committed, the files that no row names any more go."""
    with transaction.atomic():
        paths = {path for thing in things for path in _paths(thing.row)}
        yield
        for path in sorted(paths - paths_in_use()):
            transaction.on_commit(partial(store().delete, path))


def _paths(row: Any) -> list[str]:
    match row:
        case StudyFile():
            return [] if row.is_pointed else [row.path]
        case StudyReport():
            return stored_paths(row.files)
        case Pool():
            place = StudyPool.everything.filter(pool=row).first()
            return stored_paths(place.documents) if place else []
    return []
