"""Errors of the crowd, by what they mean for the caller.

The service's errors differ by code, by text, and between its versions; callers need only know
whether anything happened, and whether to go on.
"""

import re
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime

from botocore.exceptions import (
    BotoCoreError,
    ClientError,
    ConnectTimeoutError,
    EndpointConnectionError,
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)

from metrics.errors import InputError

_CREDENTIALS_MISSING = (
    NoCredentialsError,
    NoRegionError,
    PartialCredentialsError,
    ProfileNotFound,
    TokenRetrievalError,
)
#: Seconds; the service refuses signatures that are five minutes off.
_CLOCK_TOLERANCE = 240
_ID = re.compile(r"\b[A-Z0-9]{20,64}\b")


class CrowdError(InputError):
    """The crowd did not do what was requested. `code` is the service's own."""

    def __init__(self, message: str, *, code: str = "", remedy: str = "") -> None:
        self.code = code
        super().__init__(message, remedy=remedy)


class CrowdStopError(CrowdError):
    """Nothing happened, and all calls will fail until a person has acted."""


class CrowdAwayError(CrowdStopError):
    """Nobody answers at the crowd's address; later somebody may."""


class CrowdBusyError(CrowdStopError):
    """Others are waiting for their turn to call the crowd; nothing was sent.

    `wait` is the number of seconds after which to try again.
    """

    wait = 2


class CrowdRefusedError(CrowdError):
    """Nothing happened: the crowd looked at this one request and said no."""


class NotThereError(CrowdRefusedError):
    """The HIT, assignment, worker or qualification does not exist (any more)."""


class WrongStateError(CrowdRefusedError):
    """The thing is in a state that does not allow this; often it is done already."""


class CrossesTenError(CrowdRefusedError):
    """A HIT of fewer than ten assignments cannot grow to ten or more."""


class AlreadyDoneError(CrowdError):
    """The request's token was used before: the request has had its effect.

    `hit_id` is the HIT that the message names, or "" where it names none.
    """

    def __init__(self, message: str, *, code: str = "", hit_id: str = "") -> None:
        self.hit_id = hit_id
        super().__init__(message, code=code)


class OutcomeUnknownError(CrowdError):
    """No usable reply: the request may or may not have had its effect."""


class ThrottledError(OutcomeUnknownError):
    """The crowd gets too many calls at the moment; it answers again when they are fewer."""


_NEW_CREDENTIALS = "Renew the credentials and run the command again; it goes on where it stopped."

#: (pattern of the text `CODE TURKCODE MESSAGE`, kind of error, what to do), first match wins.
_KINDS: tuple[tuple[str, type[CrowdError], str], ...] = (
    (r"does not exist", NotThereError, ""),
    (r"InvalidMaximumAssignmentsIncrease", CrossesTenError, ""),
    (r"can be called with a status of|Invalid(Assignment|Hit|HIT)State", WrongStateError, ""),
    (
        r"insufficient ?funds",
        CrowdStopError,
        "Add money to the account and run the command again; it goes on where it stopped.",
    ),
    (r"ExpiredToken|token .* expired", CrowdStopError, _NEW_CREDENTIALS),
    (
        r"UnrecognizedClient|InvalidClientTokenId|MissingAuthentication",
        CrowdStopError,
        _NEW_CREDENTIALS,
    ),
    (
        r"not authorized|AccessDenied|must be linked|suspended",
        CrowdStopError,
        "Check with `crowd check`, and in the account's own pages; nothing was lost.",
    ),
    (
        r"Not yet implemented|UnknownOperation|^404\b",
        CrowdStopError,
        "The server at this address is not Mechanical Turk; check the endpoint.",
    ),
    (r"Throttl|Rate exceeded|TooManyRequests|System Unavailable", ThrottledError, ""),
    (r"ServiceFault|InternalFailure|ServiceUnavailable|^5\d\d\b", OutcomeUnknownError, ""),
)
_SIGNATURE = re.compile(
    r"InvalidSignature|SignatureDoesNotMatch|RequestTimeTooSkewed|RequestExpired"
)
_SEEN = re.compile(r"HITAlreadyExists|idempotency token|DuplicateRequest", re.IGNORECASE)


def from_reply(error: ClientError) -> CrowdError:
    """Return the error that an error reply means."""
    reply = error.response
    code = str(reply.get("TurkErrorCode") or reply.get("Error", {}).get("Code", ""))
    text = str(reply.get("Error", {}).get("Message") or reply.get("Message") or code)
    words = f"{reply.get('Error', {}).get('Code', '')} {code} {text}"
    message = f"the crowd answered {code}: {text.strip()}"
    if not message.endswith("."):
        message += "."
    if _SEEN.search(words):
        named = _ID.search(text)
        return AlreadyDoneError(message, code=code, hit_id=named[0] if named else "")
    if _SIGNATURE.search(words):
        return CrowdStopError(message, code=code, remedy=_why_signature(reply))
    for pattern, kind, remedy in _KINDS:
        if re.search(pattern, words, re.IGNORECASE):
            return kind(message, code=code, remedy=remedy)
    return CrowdRefusedError(message, code=code)


def from_transport(error: Exception) -> CrowdError:
    """Return the error that an exception without a reply of the service means."""
    text = " ".join(str(error).split())
    if isinstance(error, _CREDENTIALS_MISSING):
        return CrowdStopError(
            f"no usable credentials ({text}).",
            remedy="Set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or AWS_PROFILE.",
        )
    if isinstance(error, (EndpointConnectionError, ConnectTimeoutError)):
        return CrowdAwayError(
            f"nobody answers for the crowd ({text.rstrip('.')}).",
            remedy="Start it (the local one: `serve`), or check with `crowd check`.",
        )
    if isinstance(error, BotoCoreError) and "validation" in text.lower():
        return CrowdRefusedError(f"the request is not valid: {text}.")
    return OutcomeUnknownError(
        f"no usable reply from the crowd ({type(error).__name__}: {text}).",
        remedy="See whether the service is up with `crowd check`, then run the command again.",
    )


def clock_offset(headers: dict[str, str]) -> float | None:
    """Seconds that this machine's clock is ahead of the service's `Date` header."""
    date = headers.get("date")
    if not date:
        return None
    return (datetime.now(UTC) - parsedate_to_datetime(date)).total_seconds()


def _why_signature(reply: object) -> str:
    metadata = reply.get("ResponseMetadata", {}) if isinstance(reply, dict) else {}
    offset = clock_offset(metadata.get("HTTPHeaders", {}))
    if offset is not None and abs(offset) > _CLOCK_TOLERANCE:
        way = "ahead of" if offset > 0 else "behind"
        return f"This machine's clock is {abs(offset):.0f} s {way} the service's: set the clock."
    return "The secret key does not belong to the access key, or a proxy changes requests."
