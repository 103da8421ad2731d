"""Events of HITs, told to the requesters who asked for them.

An event is stored in the transaction that makes it happen, and sent when that is committed: by
`POST` to a destination on an allowed host; all others wait in the table, a local queue. What could
not be sent is tried again with the destination's next event, so a receiver may hear twice of one
event, as on Amazon, and tells so by `EventDocId`.
"""

import json
import logging
from datetime import datetime
from functools import partial
from typing import Any
from urllib.parse import urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, Request, build_opener

from django.conf import settings
from django.db import transaction
from django.db.models import F
from django.utils import timezone

from annotation.mturk_local.models import HIT, Notification, NotificationSetting, Requester

_LOG = logging.getLogger(__name__)
_TIMEOUT_SECONDS = 2
_MOST_ATTEMPTS = 5


class _StayHere(HTTPRedirectHandler):
    """A receiver on an allowed host must not send us on to another one."""

    def redirect_request(self, *_args: Any, **_kwargs: Any) -> None:
        return None


#: Without a proxy: the allowed hosts are near.
_OPENER = build_opener(ProxyHandler({}), _StayHere())


def event_emit(*, hit: HIT, kind: str, at: datetime, assignment_id: str = "") -> None:
    """Tell of an event of `hit`, if its type's requester wants to hear of this kind."""
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
    """Store an event for `destination` and send it once the transaction is committed."""
    Notification.objects.create(
        requester=requester, destination=destination, version=version, event=event
    )
    if is_address(destination):
        transaction.on_commit(
            partial(deliver, requester_id=requester.pk, destination=destination), using="crowd"
        )


def is_address(destination: str) -> bool:
    """Whether events for `destination` are posted to it; other destinations name a local queue."""
    parts = urlsplit(destination)
    return parts.scheme in {"http", "https"} and parts.hostname in settings.MTURK_LOCAL_NOTIFY_HOSTS


def deliver(*, requester_id: int, destination: str) -> None:
    """Post what waits for `destination`, oldest first, up to the first failure."""
    waiting = Notification.objects.filter(
        requester=requester_id,
        destination=destination,
        delivered_at=None,
        attempts__lt=_MOST_ATTEMPTS,
    )
    for notification in waiting.select_related("requester"):
        Notification.objects.filter(pk=notification.pk).update(attempts=F("attempts") + 1)
        try:
            _post(destination, document_of(notification))
        except OSError as error:
            _LOG.warning("notification %s not delivered: %s", notification.document_id, error)
            return
        Notification.objects.filter(pk=notification.pk).update(delivered_at=timezone.now())


def deliver_all() -> int:
    """Try every undelivered notification that has an address again; how many still wait."""
    waiting = Notification.objects.filter(delivered_at=None, attempts__lt=_MOST_ATTEMPTS)
    receivers = waiting.order_by().values_list("requester", "destination").distinct()
    for requester_id, destination in list(receivers):
        if is_address(destination):
            deliver(requester_id=requester_id, destination=destination)
    return sum(is_address(one.destination) for one in waiting.all())


def document_of(notification: Notification) -> dict[str, Any]:
    """A notification as Amazon's queues hold it."""
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
    with _OPENER.open(request, timeout=_TIMEOUT_SECONDS):
        pass
