"""Deleting what has been kept for long enough. Doing it again deletes what has become old since."""

from dataclasses import dataclass
from datetime import datetime, timedelta

import structlog
from axes.helpers import get_cool_off
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q, QuerySet
from django.utils import timezone
from knox.models import AuthToken

from annotation.crowd.errors import CrowdAwayError
from annotation.models import Batch, Worker
from annotation.overview.operations.delete_removed import removed_delete
from annotation.studies.file_store import uploads_clear
from annotation.vocabulary import WorkerKind
from annotation.workers.operations.erasure import worker_erase
from metrics.errors import InputError

log = structlog.get_logger(__name__)

_ACTOR = "retention"


@dataclass(frozen=True)
class Cleared:
    """How much was deleted: `workers` forgotten, and rows and files.

    `waiting` workers are to be forgotten, and cannot be yet: somebody has to pay them, or the crowd
    is away. `removed` counts what people had removed: studies, files, pools, batches, reports.
    """

    workers: int
    waiting: int
    sign_ins: int
    sessions: int
    tokens: int
    uploads: int
    removed: int


def retention_apply(*, days: int | None = None) -> Cleared:
    """Forget who last worked more than `days` ago (0: nobody), and delete what has run out.

    `days` is FAIRPOOL_RETENTION_DAYS unless said otherwise. Failed sign-ins go when they no longer
    count, sessions and tokens when they have ended, uploads that a killed process left after a day,
    and what people removed a day after that.
    """
    now = timezone.now()
    kept = settings.RETENTION_DAYS if days is None else days
    workers, waiting = _erase(now - timedelta(days=kept)) if kept else (0, 0)
    pause = get_cool_off() or timedelta(0)
    return Cleared(
        workers=workers,
        waiting=waiting,
        sign_ins=AccessAttempt.objects.filter(attempt_time__lt=now - pause).delete()[0],
        sessions=Session.objects.filter(expire_date__lt=now).delete()[0],
        tokens=AuthToken.objects.filter(expiry__lt=now).delete()[0],
        uploads=uploads_clear(),
        removed=removed_delete(),
    )


def batches_at_rest(*, since: datetime) -> QuerySet[Batch]:
    """The batches in which nothing was done since, and nobody can do anything any more."""
    return (
        Batch.everything.filter(created_at__lt=since)
        .exclude(hits__expires_at__gte=since)
        .exclude(hits__assignments__submitted_at__gte=since)
    )


def _erase(since: datetime) -> tuple[int, int]:
    batches = batches_at_rest(since=since)
    there = Q(votes__query__batch__in=batches) | Q(assignments__hit__batch__in=batches)
    old = Worker.objects.filter(there, kind=WorkerKind.HUMAN, is_erased=False).distinct()
    done = waiting = 0
    for worker in list(old.order_by("pk")):
        try:
            worker_erase(worker=worker, batches=batches, actor=_ACTOR)
            done += 1
        except CrowdAwayError as error:
            log.warning("the crowd is away; nobody is forgotten now", why=str(error))
            return done, len(old) - done
        except InputError as error:
            log.warning("a worker cannot be forgotten yet", why=str(error))
            waiting += 1
    return done, waiting
