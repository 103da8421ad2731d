"""Messages that Prolific sends: their signatures and subjects.

Pure. A message is signed over its time and its bytes. Its content is not trusted: it only causes
the study to be read.
"""

import base64
import hashlib
import hmac
import json
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import MAXYEAR, MINYEAR, UTC, datetime, timedelta
from typing import Any

from metrics.errors import InputError

#: The types that are subscribed to.
SUBMISSION, STUDY = "submission.status.change", "study.status.change"
#: Lifetime of a signature, and tolerated difference of clocks.
GOOD_FOR = timedelta(minutes=5)
LONGEST = 65_536
_TIMESTAMP, _SIGNATURE = "X-Prolific-Request-Timestamp", "X-Prolific-Request-Signature"
_RESOURCE = re.compile(r"[0-9a-f]{24}")
_SECONDS = re.compile(r"[0-9]{1,11}")
_LONGEST_NAME = 100


class ForgedError(InputError):
    """The message is not Prolific's, or not recent."""


@dataclass(frozen=True)
class Event:
    """`resource_id`: the submission or the study that changed. `sent_at` orders events."""

    event_id: str
    event_type: str
    resource_id: str
    sent_at: datetime

    @classmethod
    def from_wire(cls, wire: Mapping[str, Any], *, event_id: str, sent_at: datetime) -> "Event":
        """Read an event, or raise `InputError` where its type, subject or id is missing."""
        kind, resource = wire.get("event_type"), wire.get("resource_id")
        is_name = isinstance(kind, str) and 0 < len(kind) <= _LONGEST_NAME and kind.isprintable()
        if not is_name:
            raise InputError("the event has no type.")
        if not isinstance(resource, str) or not _RESOURCE.fullmatch(resource):
            raise InputError("the event does not say what it is about.")
        if not 0 < len(event_id) <= _LONGEST_NAME or not event_id.isprintable():
            raise InputError("the event has no id.")
        return cls(event_id, str(kind), resource, sent_at)


def signature(secret: str, timestamp: str, body: bytes) -> str:
    """Return Prolific's signature of a message: base64 of the HMAC of its time and its bytes."""
    signed = hmac.new(secret.encode(), timestamp.encode() + body, hashlib.sha256)
    return base64.b64encode(signed.digest()).decode()


def signed_event(
    headers: Mapping[str, str], body: bytes, *, secret: str, now: datetime
) -> tuple[Event, bool]:
    """Return the event of a genuine message, and whether it is recent; or `ForgedError`.

    An old message may repeat one that is known. `InputError` where a genuine message names no
    event.
    """
    timestamp, signed = headers.get(_TIMESTAMP, ""), headers.get(_SIGNATURE, "")
    expected = signature(secret, timestamp, body)
    if not hmac.compare_digest(signed.encode(), expected.encode()) or not _SECONDS.fullmatch(
        timestamp
    ):
        raise ForgedError("the message is not signed by Prolific for this site.")
    return _read(headers, body, now)


def is_rightly_formed(headers: Mapping[str, str], body: bytes, *, now: datetime) -> bool:
    """Return whether a message is a recent event but for the secret that it is signed with.

    Many such messages that are refused mean that the stored secret is not Prolific's any more.
    """
    if not _SECONDS.fullmatch(headers.get(_TIMESTAMP, "")):
        return False
    try:
        digest = base64.b64decode(headers.get(_SIGNATURE, ""), validate=True)
        _event, is_of_now = _read(headers, body, now)
    except (ValueError, InputError):
        return False
    return is_of_now and len(digest) == hashlib.sha256().digest_size


def _read(headers: Mapping[str, str], body: bytes, now: datetime) -> tuple[Event, bool]:
    signed_at = datetime.fromtimestamp(int(headers[_TIMESTAMP]), UTC)
    try:
        wire = json.loads(body)
    except (ValueError, RecursionError):
        raise InputError("the message is not JSON.") from None
    if not isinstance(wire, dict):
        raise InputError("the message is not an object.")
    sent_at = moment(headers.get("X-Timestamp", "")) or signed_at
    event = Event.from_wire(wire, event_id=headers.get("X-Event-ID", ""), sent_at=sent_at)
    return event, abs(now - signed_at) <= GOOD_FOR


def moment(text: str) -> datetime | None:
    """A moment as Prolific writes it: ISO 8601, or seconds since 1970."""
    try:
        if re.fullmatch(r"\d{1,11}(?:\.\d{1,9})?", text):
            return datetime.fromtimestamp(float(text), UTC)
        at = datetime.fromisoformat(text)
    except (ValueError, OverflowError, OSError):
        return None
    if at.year in (MINYEAR, MAXYEAR):
        return None  # in another time zone it may be out of range
    return at if at.tzinfo else at.replace(tzinfo=UTC)
