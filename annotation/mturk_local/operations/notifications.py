"""Which events a requester hears of, and a test of the way."""

from typing import Any

from annotation.mturk_local.errors import ParameterError, RequestError
from annotation.mturk_local.lifecycle.events import event_send
from annotation.mturk_local.models import NotificationSetting
from annotation.mturk_local.operations.hit_types import hit_type_get
from annotation.mturk_local.operations.registry import Call, Reply, operation

#: The model names the first, the documentation of queues the second.
_VERSIONS = frozenset({"2006-05-05", "2014-08-15"})
_DIFFERS = (
    "Events are posted to a Destination on an allowed host, whatever the Transport; all others "
    "wait in a local queue."
)


@operation("UpdateNotificationSettings", differs=_DIFFERS)
def update_notification_settings(call: Call) -> Reply:
    hit_type = hit_type_get(call, call.params["HITTypeId"])
    wanted = call.params.get("Notification")
    if wanted is None and "Active" not in call.params:
        raise ParameterError("Either a Notification or Active must be given.")
    if wanted is not None:
        NotificationSetting.objects.update_or_create(hit_type=hit_type, defaults=_checked(wanted))
    if "Active" in call.params:
        changed = NotificationSetting.objects.filter(hit_type=hit_type).update(
            active=call.params["Active"]
        )
        if not changed:
            raise RequestError(
                f"HITType {hit_type.hit_type_id} has no notification.",
                turk_code="NotificationDoesNotExist",
            )
    return {}


@operation("SendTestEventNotification", differs=_DIFFERS)
def send_test_event_notification(call: Call) -> Reply:
    wanted = _checked(call.params["Notification"])
    event_send(
        requester=call.requester,
        destination=wanted["destination"],
        version=wanted["version"],
        event={
            "EventType": call.params["TestEventType"],
            "EventTimestamp": f"{call.now:%Y-%m-%dT%H:%M:%SZ}",
            "HITTypeId": "3TESTHITTYPE",
            "HITId": "3TESTHIT",
        },
    )
    return {}


def _checked(wanted: dict[str, Any]) -> dict[str, Any]:
    if wanted["Version"] not in _VERSIONS:
        raise ParameterError(f"The Version must be one of {', '.join(sorted(_VERSIONS))}.")
    return {
        "destination": wanted["Destination"],
        "transport": wanted["Transport"],
        "version": wanted["Version"],
        "event_types": wanted["EventTypes"],
    }
