"""Events that the market sends: subscriptions, messages and signatures.

They are sent by a thread, at least once: a receiver that fails is asked again, up to twelve times.
"""

import itertools
import json
import queue
import secrets
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

import urllib3

from annotation.prolific.double.refusals import field as refuse
from annotation.prolific.double.refusals import not_found
from annotation.prolific.events import signature

EVENT_TYPES = (
    "submission.status.change",
    "study.status.change",
    "study.progress.change",
    "study.has_high_return_rate",
)
_MOST_ATTEMPTS = 12
#: Seconds before the second attempt; Prolific begins with a minute. Doubled each time.
_FIRST_PAUSE = 0.05


@dataclass
class Event:
    event_id: str
    event_type: str
    resource_id: str
    payload: dict[str, Any]
    target: str
    at: str
    status: str = "PENDING"

    def wire(self) -> dict[str, Any]:
        return {
            "id": self.event_id,
            "datetime_created": self.at,
            "datetime_updated": self.at,
            "event_type": self.event_type,
            "resource_id": self.resource_id,
            "status": self.status,
            "target_url": self.target,
            "payload": self.payload,
        }


@dataclass
class Subscription:
    subscription_id: str
    event_type: str
    target: str
    workspace_id: str
    secret: str
    is_enabled: bool = False
    events: list[Event] = field(default_factory=list)

    def wire(self) -> dict[str, Any]:
        return {
            "id": self.subscription_id,
            "event_type": self.event_type,
            "target_url": self.target,
            "is_enabled": self.is_enabled,
            "workspace_id": self.workspace_id,
        }


class Hooks:
    """The workspace's secret and subscriptions. Without a thread (`start`) nothing is sent."""

    def __init__(self, workspace_id: str, new_id: Callable[[], str]) -> None:
        self.workspace_id, self._new_id = workspace_id, new_id
        self.secret_id = self.secret = ""
        self.subscriptions: dict[str, Subscription] = {}
        self._waiting: queue.Queue[Event | None] = queue.Queue()
        self._is_over = threading.Event()
        self._spaced = itertools.cycle((True, False))

    def make_secret(self, workspace_id: str) -> dict[str, Any]:
        """Make a new secret, which replaces the old one at once."""
        if workspace_id != self.workspace_id:
            raise refuse("workspace_id", "There is no such workspace.")
        self.secret_id, self.secret = self._new_id(), secrets.token_urlsafe(32)
        return self.secret_wire()

    def secret_wire(self) -> dict[str, Any]:
        return {"id": self.secret_id, "value": self.secret, "workspace_id": self.workspace_id}

    def subscribe(self, body: dict[str, Any]) -> Subscription:
        if body.get("event_type") not in EVENT_TYPES:
            raise refuse("event_type", f'"{body.get("event_type")}" is not a valid choice.')
        if body.get("workspace_id") != self.workspace_id or not self.secret:
            raise refuse("workspace_id", "The workspace has no secret.")
        made = Subscription(
            self._new_id(), body["event_type"], str(body.get("target_url")), self.workspace_id,
            secrets.token_urlsafe(16),
        )  # fmt: skip
        self.subscriptions[made.subscription_id] = made
        return made

    def subscription(self, subscription_id: str) -> Subscription:
        try:
            return self.subscriptions[subscription_id]
        except KeyError:
            raise not_found() from None

    def confirm(self, subscription_id: str, secret: Any) -> Subscription:
        subscription = self.subscription(subscription_id)
        if secret != subscription.secret:
            raise refuse("secret", "This is not the secret of the subscription.")
        subscription.is_enabled = True
        return subscription

    def tell(self, event_type: str, resource_id: str, **values: str) -> None:
        """Send an event to all its subscribers."""
        for subscription in self.subscriptions.values():
            if subscription.is_enabled and subscription.event_type == event_type:
                at = datetime.now(UTC).isoformat().replace("+00:00", "Z")
                payload = {"event_type": event_type, "resource_id": resource_id, **values}
                event = Event(
                    self._new_id(), event_type, resource_id, payload, subscription.target, at
                )
                subscription.events.insert(0, event)
                self._waiting.put(event)

    def message(self, event: Event) -> tuple[bytes, dict[str, str]]:
        """The bytes and the headers of an attempt; every other one has spaces in its JSON."""
        separators = (", ", ": ") if next(self._spaced) else (",", ":")
        body = json.dumps(event.payload, separators=separators).encode()
        timestamp = str(int(time.time()))
        return body, {
            "Content-Type": "application/json",
            "X-Prolific-Request-Timestamp": timestamp,
            "X-Prolific-Request-Signature": signature(self.secret, timestamp, body),
            "X-Event-ID": event.event_id,
            "X-Timestamp": event.at,
        }

    def start(self) -> threading.Thread:
        self._is_over.clear()
        thread = threading.Thread(target=self._send_all, name="hooks", daemon=True)
        thread.start()
        return thread

    def stop(self) -> None:
        self._is_over.set()
        self._waiting.put(None)

    def _send_all(self) -> None:
        pool = urllib3.PoolManager(timeout=5, retries=False)
        while (event := self._waiting.get()) is not None and not self._is_over.is_set():
            event.status = "SUCCEEDED" if self._send(pool, event) else "FAILED"
        pool.clear()

    def _send(self, pool: urllib3.PoolManager, event: Event) -> bool:
        """Send the event, with several attempts; return whether it was accepted."""
        for attempt in range(_MOST_ATTEMPTS):
            body, headers = self.message(event)
            with suppress(urllib3.exceptions.HTTPError):
                reply = pool.request("POST", event.target, body=body, headers=headers)
                if reply.status // 100 == 2:  # noqa: PLR2004 - taken
                    return True
            if self._is_over.wait(_FIRST_PAUSE * 2 ** min(attempt, 5)):
                return False
        return False
