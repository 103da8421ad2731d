"""Signature Version 4, checked.

The signature covers the method, the path, the headers that it names and the body, so that nothing
important can be changed on the way, and expires after five minutes. See
https://docs.aws.amazon.com/IAM/latest/UserGuide/reference_sigv-create-signed-request.html
"""

import hashlib
import hmac
import re
from collections.abc import Callable, Mapping
from datetime import UTC, datetime, timedelta
from typing import NamedTuple
from urllib.parse import quote

from mturk_local.errors import CrowdError, SignatureError

_ALGORITHM = "AWS4-HMAC-SHA256"
_WINDOW = timedelta(minutes=5)
#: The name that the operations' service signs under; the region may be any.
_SERVICE = "mturk-requester"
_AUTHORIZATION = re.compile(
    rf"{_ALGORITHM} +Credential=(?P<key>[^/,\s]+)/(?P<day>\d{{8}})/(?P<region>[^/,\s]+)"
    r"/(?P<service>[^/,\s]+)/aws4_request, *SignedHeaders=(?P<headers>[^,\s]+),"
    r" *Signature=(?P<signature>[0-9a-f]{64})"
)
_MOMENT = "%Y%m%dT%H%M%SZ"


class SignedRequest(NamedTuple):
    """The signed parts of a request. Header names are in lower case."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes


class _Claim(NamedTuple):
    access_key_id: str
    scope: tuple[str, str, str]
    signed_headers: tuple[str, ...]
    signature: str
    moment: str


def verified_access_key(
    request: SignedRequest, secret_of: Callable[[str], str | None], now: datetime
) -> str:
    """The access key id that signed `request`, or the refusal that Amazon would give.

    `secret_of` gives the secret of a key, or None for one that is not known. `now` is the
    machine's time.
    """
    claim = _claim(request)
    _check_moment(claim, now)
    secret = secret_of(claim.access_key_id)
    if secret is None:
        raise CrowdError(
            "The security token included in the request is invalid.",
            code="UnrecognizedClientException",
        )
    if not hmac.compare_digest(_signature(request, claim, secret), claim.signature):
        raise SignatureError(
            "The request signature we calculated does not match the signature you provided. "
            "Check your AWS Secret Access Key and signing method. "
            "Consult the service documentation for details."
        )
    return claim.access_key_id


def _claim(request: SignedRequest) -> _Claim:
    header = request.headers.get("authorization", "")
    if not header:
        raise CrowdError(
            "Request is missing Authentication Token", code="MissingAuthenticationTokenException"
        )
    match = re.fullmatch(_AUTHORIZATION, header)
    moment = request.headers.get("x-amz-date", "")
    if not match or not re.fullmatch(r"\d{8}T\d{6}Z", moment):
        raise CrowdError(
            "Authorization header requires 'Credential', 'Signature' and 'SignedHeaders' "
            "parameters, and the request an 'X-Amz-Date' header.",
            code="IncompleteSignatureException",
        )
    if match["service"] != _SERVICE:
        raise SignatureError(f"Credential should be scoped to correct service: '{_SERVICE}'.")
    if match["day"] != moment[:8]:
        raise SignatureError("Date in Credential scope does not match the date of the request.")
    names = tuple(match["headers"].split(";"))
    unsigned = {name for name in request.headers if name.startswith("x-amz-")} | {"host"}
    missing = sorted(unsigned - set(names))
    if missing:
        raise SignatureError(f"'{missing[0]}' must be a 'SignedHeader' in the AWS Authorization.")
    scope = (match["day"], match["region"], match["service"])
    return _Claim(match["key"], scope, names, match["signature"], moment)


def _check_moment(claim: _Claim, now: datetime) -> None:
    try:
        signed = datetime.strptime(claim.moment, _MOMENT).replace(tzinfo=UTC)
    except ValueError:
        raise SignatureError("The date of the request is not a date.") from None
    moment = now.strftime(_MOMENT)
    if signed < now - _WINDOW:
        limit = (now - _WINDOW).strftime(_MOMENT)
        raise SignatureError(
            f"Signature expired: {claim.moment} is now earlier than {limit} ({moment} - 5 min.)"
        )
    if signed > now + _WINDOW:
        limit = (now + _WINDOW).strftime(_MOMENT)
        raise SignatureError(
            f"Signature not yet current: {claim.moment} is still later than {limit} "
            f"({moment} + 5 min.)"
        )


def _signature(request: SignedRequest, claim: _Claim, secret: str) -> str:
    canonical = "\n".join(
        [
            request.method,
            quote(request.path, safe="/~"),
            "&".join(
                sorted(
                    f"{quote(name, safe='~')}={quote(value, safe='~')}"
                    for name, value in request.query.items()
                )
            ),
            *(
                f"{name}:{' '.join(request.headers.get(name, '').split())}"
                for name in claim.signed_headers
            ),
            "",
            ";".join(claim.signed_headers),
            hashlib.sha256(request.body).hexdigest(),
        ]
    )
    scope = "/".join([*claim.scope, "aws4_request"])
    digest = hashlib.sha256(canonical.encode()).hexdigest()
    to_sign = f"{_ALGORITHM}\n{claim.moment}\n{scope}\n{digest}"
    key = f"AWS4{secret}".encode()
    for part in (*claim.scope, "aws4_request"):
        key = hmac.digest(key, part.encode(), "sha256")
    return hmac.new(key, to_sign.encode(), "sha256").hexdigest()
