"""News of HITs from our own crowd service, stored within two seconds.

Answers of Amazon's workers are collected periodically, which also finds lost news.
"""

from collections import defaultdict
from datetime import timedelta

import structlog
from django.conf import settings
from django.utils import timezone

from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.notices import notice_update
from annotation.batches.operations.refresh import snapshot_after
from annotation.core.operations import PUBLIC_STATES
from annotation.crowd.connection import QUEUE, people_at_local_crowd
from annotation.models import HIT, Batch
from annotation.vocabulary import Environment
from metrics.errors import InputError

log = structlog.get_logger(__name__)

_ACTOR = "automatic collection"
_MOST_SECONDS = 2.0
#: Time after the expiry of a batch's HITs in which answers may still come.
_A_DAY = timedelta(days=1)


def collect_news() -> None:
    """Collect the HITs of which the service has news; nothing where none are out.

    Simultaneous calls get different news. While the service is down, its news wait there.
    """
    if not settings.COLLECT_EVERY_SECONDS or not _are_any_out():
        return
    try:
        hit_ids = people_at_local_crowd(_MOST_SECONDS).take_events(QUEUE)
    except InputError as error:
        log.debug("no news of the crowd service", why=error.message)
        return
    by_batch: defaultdict[int, list[str]] = defaultdict(list)
    hits = HIT.objects.filter(hit_id__in=hit_ids, batch__state__in=PUBLIC_STATES)
    for batch, hit_id in hits.order_by("batch", "index").values_list("batch", "hit_id"):
        by_batch[batch].append(str(hit_id))
    for number, changed in by_batch.items():
        _collect(Batch.objects.get(pk=number), changed)


def _are_any_out() -> bool:
    if settings.MTURK_ENVIRONMENT != Environment.LOCAL:
        return False
    out = Batch.objects.filter(environment=Environment.LOCAL, state__in=PUBLIC_STATES)
    return out.filter(hits__expires_at__gt=timezone.now() - _A_DAY).exists()


def _collect(batch: Batch, hit_ids: list[str]) -> None:
    try:
        collect_batch(batch_id=batch.pk, actor=_ACTOR, only=hit_ids)
    except InputError as error:
        log.warning("news not collected", batch=batch.pk, why=error.message)
        return
    snapshot_after(batch)
    notice_update(batch=batch)
