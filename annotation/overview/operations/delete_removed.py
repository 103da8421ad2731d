"""Permanently deleting items removed a day ago. Repeating deletes those due since."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import structlog
from django.db import transaction
from django.db.models import ProtectedError
from django.utils import timezone

from annotation.models import Study, StudyFile, StudyPool, StudyReport, Task
from annotation.models.tasks import LIVE_STATES
from annotation.overview.operations.naming import note_holding
from annotation.overview.queries.holdings import (
    PARTS,
    paths_in_use,
    rows_of,
    stored_paths,
    study_holding,
    what_needs,
)
from annotation.reports.queries.bundles import bundle_folder
from annotation.studies.file_store import store
from annotation.vocabulary import AuditAction
from pooling.models import Pool
from pooling.removable import KEPT_FOR, Removable

log = structlog.get_logger(__name__)

_ACTOR = "schedule"


def delete_removed() -> int:
    """Delete items removed more than a day ago, with their files; return their number.

    Items needed again, or in use by a task, are left for the next time.
    """
    due = timezone.now() - KEPT_FOR
    deleted = 0
    for study in Study.everything.filter(removed_at__lt=due):
        if not Task.objects.filter(study=study, state__in=LIVE_STATES).exists():
            delete_study(study)
            deleted += 1
    # Dependent items first.
    for kind in reversed(PARTS):
        for row in kind.everything.filter(removed_at__lt=due):
            if study_holding(row).removed_at is None:
                deleted += _delete_due(row)
    return deleted


def delete_study(study: Study) -> None:
    """Permanently delete a study with all its items, pools and batches included."""
    rows = [row for kind in reversed(PARTS) for row in rows_of(study, kind)]
    with _forgetting_files(study, rows):
        for row in rows:
            row.delete()
        study.delete()


def _delete_due(row: Removable) -> bool:
    if what_needs(row):
        return False
    try:
        with _forgetting_files(study_holding(row), [row]):
            note_holding(row, actor=_ACTOR, action=AuditAction.DELETED_FOR_GOOD)
            row.delete()
    except ProtectedError as error:
        log.warning("what was removed is needed again", row=row.label, why=str(error))
        return False
    return True


@contextmanager
def _forgetting_files(study: Study, rows: list[Any]) -> Iterator[None]:
    """Once the transaction is committed, delete the files that no row names any more.

    The study's bundle, which may contain deleted data, is deleted, too.
    """
    bundles = bundle_folder(study_id=study.pk)
    with transaction.atomic():
        transaction.on_commit(partial(shutil.rmtree, bundles, ignore_errors=True))
        paths = {path for row in rows for path in _paths(row)}
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
            return stored_paths(StudyPool.everything.get(pool=row).documents)
    return []
