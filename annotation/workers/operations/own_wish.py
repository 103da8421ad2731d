"""Erasing workers who had themselves erased at our own crowd service."""

import structlog
from django.conf import settings

from annotation.batches.operations.withdrawals import ACTOR, delete_withdrawn_answers
from annotation.core.operations import PUBLIC_STATES
from annotation.crowd.errors import CrowdError
from annotation.models import Batch, CrowdSnapshot, Worker
from annotation.vocabulary import Environment
from annotation.workers.operations.erasure import batches_of, erase_worker
from metrics.errors import InputError

log = structlog.get_logger(__name__)


def erase_withdrawn_workers() -> int:
    """Take over annotators' withdrawals, and erase those who wish it; return the number erased.

    Workers who still wait for pay here are erased once it is collected; while the crowd service is
    down, nothing is done.
    """
    known = Batch.everything.filter(environment=Environment.LOCAL, state__in=PUBLIC_STATES)
    if settings.MTURK_ENVIRONMENT != Environment.LOCAL or not known.exists():
        return 0
    try:
        erased = delete_withdrawn_answers(environment=Environment.LOCAL)
    except (CrowdError, InputError) as error:
        log.warning("the crowd service does not say who withdrew", why=str(error))
        return 0
    here = Worker.objects.filter(environment=Environment.LOCAL, worker_id__in=erased)
    return sum(_erased(worker) for worker in here)


def _erased(worker: Worker) -> bool:
    """Erase the worker; return False, with a line in the log, if that is not possible yet."""
    if not batches_of(worker=worker).exists():
        worker.delete()
        return True
    try:
        erase_worker(worker=worker, batches=Batch.everything.all(), actor=ACTOR)
    except (CrowdError, InputError) as error:
        log.warning("a worker cannot be erased yet", why=str(error))
        return False
    CrowdSnapshot.objects.all().delete()
    return True
