"""Operations on subscriptions to events, and a test event."""

from typing import Any

from mturk_local.errors import ParameterError, RequestError
from mturk_local.lifecycle.events import event_send
from mturk_local.models import NotificationSetting
from mturk_local.operations.hit_types import hit_type_get
from mturk_local.operations.registry import Call, Reply, operation

#: The model names the first, the documentation of queues the second.
_VERSIONS = frozenset({"2006-05-05", "2014-08-15"})
_DIFFERS = (
    "Events are posted to a Destination on an allowed host, whatever the Transport; all others "
    "wait in a local queue."
)


@operation("UpdateNotificationSettings", differs=_DIFFERS)
def update_notification_settings(call: Call) -> Reply:
    hit_type = hit_type_get(call, call.params["HITTypeId"])
    setting = call.params.get("Notification")
    if setting is None and "Active" not in call.params:
        raise ParameterError("Either a Notification or Active must be given.")
    if setting is not None:
        NotificationSetting.objects.update_or_create(hit_type=hit_type, defaults=_checked(setting))
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
    setting = _checked(call.params["Notification"])
    event_send(
        requester=call.requester,
        destination=setting["destination"],
        version=setting["version"],
        event={
            "EventType": call.params["TestEventType"],
            "EventTimestamp": f"{call.now:%Y-%m-%dT%H:%M:%SZ}",
            "HITTypeId": "3TESTHITTYPE",
            "HITId": "3TESTHIT",
        },
    )
    return {}


def _checked(setting: dict[str, Any]) -> dict[str, Any]:
    if setting["Version"] not in _VERSIONS:
        raise ParameterError(f"The Version must be one of {', '.join(sorted(_VERSIONS))}.")
    return {
        "destination": setting["Destination"],
        "transport": setting["Transport"],
        "version": setting["Version"],
        "event_types": setting["EventTypes"],
    }
