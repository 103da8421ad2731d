"""Notifications of HITs' events to requesters who subscribed.

An event is stored in the transaction that makes it happen. Those for an address on an allowed host
are posted by a worker (`sweep`), so that no annotator waits for a receiver; all others wait in the
table, a local queue. On a site without a worker the requesters' own calls post events that have
waited for long, one at a time. Failed posts are repeated, later each time; a receiver may get an
event twice, as on Amazon, and recognises it by `EventDocId`.
"""

import json
import logging
from datetime import datetime, timedelta
from typing import Any
from urllib.request import Request

from django.conf import settings
from django.utils import timezone

from mturk_local import outgoing
from mturk_local.models import HIT, Notification, NotificationSetting, Requester

_LOG = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 2
_MOST_ATTEMPTS = 5
#: Wait between the first two attempts; each further wait is four times as long.
_PAUSE = timedelta(seconds=10)
#: Age of an event that no worker has posted.
_NO_WORKER = timedelta(seconds=30)


def event_emit(*, hit: HIT, kind: str, at: datetime, assignment_id: str = "") -> None:
    """Store an event of `hit`, if the requester subscribed to this kind."""
    setting = NotificationSetting.objects.filter(hit_type=hit.hit_type_id, active=True).first()
    if setting is None or kind not in setting.event_types:
        return
    event = {
        "EventType": kind,
        "EventTimestamp": f"{at:%Y-%m-%dT%H:%M:%SZ}",
        "HITTypeId": hit.hit_type.hit_type_id,
        "HITId": hit.hit_id,
    }
    if assignment_id:
        event["AssignmentId"] = assignment_id
    event_send(
        requester=hit.requester,
        destination=setting.destination,
        version=setting.version,
        event=event,
    )


def event_send(
    *, requester: Requester, destination: str, version: str, event: dict[str, str]
) -> None:
    """Store an event for `destination`, to be posted if that is an address."""
    Notification.objects.create(
        requester=requester,
        destination=destination,
        version=version,
        event=event,
        next_at=timezone.now() if is_address(destination) else None,
    )


def is_address(destination: str) -> bool:
    """Return whether events for `destination` are posted to it; others name a local queue."""
    return outgoing.is_listed(destination, settings.MTURK_LOCAL_NOTIFY_HOSTS)


def deliver_due(*, most: int | None = None, waited: timedelta = timedelta()) -> int:
    """Post events due for at least `waited`, the oldest first; return how many still wait.

    An event is claimed before it is posted. A receiver that fails is left alone until its next
    time.
    """
    waiting = Notification.objects.filter(
        delivered_at=None, next_at__isnull=False, attempts__lt=_MOST_ATTEMPTS
    )
    due = waiting.filter(next_at__lte=timezone.now() - waited).select_related("requester")
    failed: set[str] = set()
    for notification in list(due[:most]):
        if notification.destination not in failed and not _deliver(notification):
            failed.add(notification.destination)
    return waiting.count()


def deliver_without_worker() -> None:
    """Post one event that no worker has posted: a request waits for one receiver at most."""
    deliver_due(most=1, waited=_NO_WORKER)


def _deliver(notification: Notification) -> bool:
    """Claim and post one; False if its receiver fails. Settings may forbid its host by now."""
    mine = Notification.objects.filter(pk=notification.pk, attempts=notification.attempts)
    pause = _PAUSE * 4**notification.attempts
    claimed = mine.filter(delivered_at=None).update(
        attempts=notification.attempts + 1, next_at=timezone.now() + pause
    )
    if not claimed or not is_address(notification.destination):
        return True
    try:
        _post(notification.destination, document_of(notification))
    except OSError as error:
        _LOG.warning("notification %s not delivered: %s", notification.document_id, error)
        return False
    Notification.objects.filter(pk=notification.pk).update(delivered_at=timezone.now())
    return True


def document_of(notification: Notification) -> dict[str, Any]:
    """Return a notification in the form of Amazon's queues."""
    return {
        "EventDocVersion": notification.version,
        "EventDocId": str(notification.document_id),
        "CustomerId": f"A{notification.requester_id:013d}",
        "Events": [notification.event],
    }


def _post(destination: str, document: dict[str, Any]) -> None:
    request = Request(  # noqa: S310 - the scheme and the host were checked by is_address
        destination,
        data=json.dumps(document).encode(),
        headers={"Content-Type": "application/json"},
        method="POST",
    )
    listed = settings.MTURK_LOCAL_NOTIFY_HOSTS
    with outgoing.call(request, listed=listed, timeout=_TIMEOUT_SECONDS):
        pass
