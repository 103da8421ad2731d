"""What only a rehearsal may do: move the clock, order faults, read notifications.

The operations speak the same protocol at `/mturk/control/`, signed with the same keys, under the
target `CrowdControl`. They exist only where the setting `MTURK_LOCAL_CONTROL` is on.
"""

from collections.abc import Callable
from typing import Any

from django.utils import timezone

from annotation.mturk_local import clock
from annotation.mturk_local.errors import CrowdError
from annotation.mturk_local.lifecycle.events import document_of
from annotation.mturk_local.lifecycle.sweep import sweep
from annotation.mturk_local.models import Fault, FaultKind, KeyPair, Notification

TARGET = "CrowdControl"


def set_clock(_key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`OffsetSeconds`: how far the service's time runs ahead of the machine's."""
    clock.set_offset(int(params["OffsetSeconds"]))
    sweep(clock.now())
    return {"Now": clock.now().timestamp()}


def add_fault(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`Kind`, and as needed `Operation`, `Skip`, `Times`, `Chance`, `Detail`."""
    if params["Kind"] not in FaultKind.values:
        raise CrowdError(
            f"Kind must be one of {', '.join(FaultKind.values)}.", code="ValidationException"
        )
    fault = Fault.objects.create(
        key=key,
        kind=params["Kind"],
        operation=params.get("Operation", ""),
        skip=params.get("Skip", 0),
        times=params.get("Times", 1),
        chance=params.get("Chance", 1.0),
        detail=params.get("Detail", {}),
    )
    return {"FaultId": fault.pk}


def list_faults(key: KeyPair, _params: dict[str, Any]) -> dict[str, Any]:
    """The faults of this key: how many calls each has seen and hit."""
    return {
        "Faults": [
            {
                "FaultId": fault.pk,
                "Kind": fault.kind,
                "Operation": fault.operation,
                "Seen": fault.seen,
                "Done": fault.done,
            }
            for fault in Fault.objects.filter(key=key)
        ]
    }


def clear_faults(key: KeyPair, _params: dict[str, Any]) -> dict[str, Any]:
    """Let every further call of this key pass."""
    Fault.objects.filter(key=key).delete()
    return {}


def receive_notifications(key: KeyPair, params: dict[str, Any]) -> dict[str, Any]:
    """`Destination`: what waits in the requester's local queue of this name; it is taken out."""
    waiting = Notification.objects.filter(
        requester=key.requester, destination=params["Destination"], delivered_at=None
    ).select_related("requester")
    documents = []
    for notification in waiting:
        mine = Notification.objects.filter(pk=notification.pk, delivered_at=None)
        if mine.update(delivered_at=timezone.now()):
            documents.append(document_of(notification))
    return {"Documents": documents}


CONTROLS: dict[str, Callable[[KeyPair, dict[str, Any]], dict[str, Any]]] = {
    "SetClock": set_clock,
    "AddFault": add_fault,
    "ListFaults": list_faults,
    "ClearFaults": clear_faults,
    "ReceiveNotifications": receive_notifications,
}
