"""Deleting data after their retention time. Repeating deletes those due since."""

from dataclasses import asdict, dataclass
from datetime import datetime, timedelta
from typing import Any

import structlog
from axes.helpers import get_cool_off
from axes.models import AccessAttempt
from django.conf import settings
from django.contrib.sessions.models import Session
from django.db.models import Q, QuerySet
from django.utils import timezone
from knox.models import AuthToken

from annotation.core.consent import Estimate
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.errors import CrowdAwayError
from annotation.models import Batch, Worker
from annotation.overview.operations.delete_removed import delete_removed
from annotation.studies.file_store import uploads_clear
from annotation.vocabulary import WorkerKind
from annotation.workers.operations.erasure import erase_worker
from annotation.workers.operations.own_wish import erase_withdrawn_workers
from metrics.errors import InputError

log = structlog.get_logger(__name__)

#: Actor of the daily deletion in the log.
ACTOR = "retention"
#: A hundred years.
_MOST_DAYS = 36_500
_WORDS = {
    "workers": "workers erased",
    "waiting": "workers to be erased once they are paid and the crowd is there",
    "sign_ins": "failed sign-ins that no longer count",
    "sessions": "sessions that have ended",
    "tokens": "tokens that have ended",
    "uploads": "uploads that were never finished",
    "removed": "things deleted that people had removed",
}


@dataclass(frozen=True)
class Cleared:
    """Numbers of erased `workers` and of deleted rows and files.

    `waiting` workers cannot be erased yet: somebody has to pay them, or the crowd service is down.
    `removed` counts studies, files, pools, batches and reports that people had removed.
    """

    workers: int
    waiting: int
    sign_ins: int
    sessions: int
    tokens: int
    uploads: int
    removed: int


@dataclass(frozen=True, kw_only=True)
class ApplyRetentionParameters:
    days: int | None = parameter(
        None,
        min_value=0,
        max_value=_MOST_DAYS,
        help_text="Days after a batch's last work until its workers are erased, 0 for never "
        "(default: FAIRPOOL_RETENTION_DAYS).",
    )


class ApplyRetention(Operation[None, ApplyRetentionParameters]):
    """Delete data after their retention time; beat and the embedded worker do it once a day.

    Votes and money stay. Only members of staff may do it.
    """

    name = "apply retention"
    command = "site apply-retention"
    example = {"days": 180}
    title = "Apply retention"
    subject = None
    parameters = ApplyRetentionParameters

    def estimate(self, subject: None, parameters: ApplyRetentionParameters) -> Estimate:
        del subject
        kept = _days(parameters.days)
        n_old = _old_workers(batches_at_rest(since=_days_ago(kept))).count() if kept else 0
        expired = {name: rows.count() for name, rows in _expired().items()}
        return Estimate(
            facts=(
                ("Workers who last worked so long ago", f"{n_old:,}"),
                *((_WORDS[name].capitalize(), f"{n:,}") for name, n in expired.items()),
            )
        )

    def run(self, subject: None, parameters: ApplyRetentionParameters, run: Run) -> Result:
        cleared = asdict(retention_apply(days=parameters.days, actor=run.actor.name))
        return Result(cleared, "\n".join(f"{n} {_WORDS[name]}" for name, n in cleared.items()))


APPLY_RETENTION = ApplyRetention()


def retention_apply(*, days: int | None = None, actor: str = ACTOR) -> Cleared:
    """Erase workers idle for more than `days` (0: nobody), and delete expired data.

    Workers erased at our own crowd service at their own wish are erased here as well.

    `days` is FAIRPOOL_RETENTION_DAYS unless said otherwise. Deleted are failed sign-ins that no
    longer count, ended sessions and tokens, uploads that a killed process left a day ago, and items
    removed a day ago.
    """
    kept = _days(days)
    workers, waiting = _erase(_days_ago(kept), actor) if kept else (0, 0)
    return Cleared(
        workers=workers + erase_withdrawn_workers(),
        waiting=waiting,
        **{name: rows.delete()[0] for name, rows in _expired().items()},
        uploads=uploads_clear(),
        removed=delete_removed(),
    )


def _days(days: int | None) -> int:
    kept: int = settings.RETENTION_DAYS if days is None else days
    return kept


def _days_ago(days: int) -> datetime:
    return timezone.now() - timedelta(days=days)


def _expired() -> dict[str, QuerySet[Any]]:
    """Return expired rows by kind."""
    now = timezone.now()
    pause = get_cool_off() or timedelta(0)
    return {
        "sign_ins": AccessAttempt.objects.filter(attempt_time__lt=now - pause),
        "sessions": Session.objects.filter(expire_date__lt=now),
        "tokens": AuthToken.objects.filter(expiry__lt=now),
    }


def batches_at_rest(*, since: datetime) -> QuerySet[Batch]:
    """Return the inactive batches whose work is complete."""
    return (
        Batch.everything.filter(created_at__lt=since)
        .exclude(hits__expires_at__gte=since)
        .exclude(hits__assignments__submitted_at__gte=since)
    )


def _old_workers(batches: QuerySet[Batch]) -> QuerySet[Worker]:
    there = Q(votes__query__batch__in=batches) | Q(assignments__hit__batch__in=batches)
    return Worker.objects.filter(there, kind=WorkerKind.HUMAN, is_erased=False).distinct()


def _erase(since: datetime, actor: str) -> tuple[int, int]:
    batches = batches_at_rest(since=since)
    old = _old_workers(batches)
    done = waiting = 0
    for worker in list(old.order_by("pk")):
        try:
            erase_worker(worker=worker, batches=batches, actor=actor)
            done += 1
        except CrowdAwayError as error:
            log.warning("the crowd is away; nobody is erased now", why=str(error))
            return done, len(old) - done
        except InputError as error:
            log.warning("a worker cannot be erased yet", why=str(error))
            waiting += 1
    return done, waiting
