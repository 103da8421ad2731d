"""Signature Version 4, checked against the suite that Amazon published."""

from datetime import UTC, datetime, timedelta

import pytest

from mturk_local.errors import CrowdError, SignatureError
from mturk_local.protocol.signature import (
    SignedRequest,
    _Claim,
    _signature,
    verified_access_key,
)

# Amazon's "aws-sig-v4-test-suite": its key pair, its moment, and the signatures of its cases
# get-vanilla, post-vanilla and get-header-value-trim.
SECRET = "wJalrXUtnFEMI/K7MDENG+bPxRfiCYEXAMPLEKEY"
MOMENT = "20150830T123600Z"
NOW = datetime(2015, 8, 30, 12, 36, tzinfo=UTC)
HEADERS = {"host": "example.amazonaws.com", "x-amz-date": MOMENT}


@pytest.mark.parametrize(
    ("method", "more", "signature"),
    [
        ("GET", {}, "5fa00fa31553b73ebf1942676e86291e8372ff2a2260956d9b8aae1d763fbf31"),
        ("POST", {}, "5da7c1a2acd57cee7505fc6676e4e544621c30862966e37dddb68e92efbe5d6b"),
        (
            "GET",
            {"my-header1": " value1", "my-header2": ' "a   b   c"'},
            "acc3ed3afb60bb290fc8d2dd0098b9911fcaa05412b367055dee359757a9c736",
        ),
    ],
)
def test_the_published_cases_have_their_signatures(
    method: str, more: dict[str, str], signature: str
) -> None:
    headers = {**HEADERS, **more}
    names = tuple(sorted(headers))
    request = SignedRequest(method, "/", {}, headers, b"")
    claim = _Claim("AKIDEXAMPLE", ("20150830", "us-east-1", "service"), names, signature, MOMENT)

    assert _signature(request, claim, SECRET) == signature


def authorized(**changes: str) -> SignedRequest:
    parts = {
        "scope": "AKID/20150830/us-east-1/mturk-requester/aws4_request",
        "headers": "host;x-amz-date",
        "signature": "0" * 64,
        **changes,
    }
    value = (
        f"AWS4-HMAC-SHA256 Credential={parts['scope']}, SignedHeaders={parts['headers']}, "
        f"Signature={parts['signature']}"
    )
    return SignedRequest("POST", "/", {}, {**HEADERS, "authorization": value}, b"")


@pytest.mark.parametrize(
    ("changes", "data"),
    [
        ({}, ""),
        ({"scope": "AKID/20150830/us-east-1/s3/aws4_request"}, "mturk-requester"),
        ({"scope": "AKID/20150829/us-east-1/mturk-requester/aws4_request"}, "Date"),
        ({"headers": "x-amz-date"}, "'host'"),
        ({"headers": "host"}, "'x-amz-date'"),
    ],
)
def test_a_claim_that_does_not_hold_is_refused(changes: dict[str, str], data: str) -> None:
    with pytest.raises(SignatureError) as caught:
        verified_access_key(authorized(**changes), lambda _key: SECRET, NOW)
    assert data in str(caught.value)


@pytest.mark.parametrize(
    ("minutes", "limit"),
    [(5, "earlier than 20150830T123601Z"), (-5, "later than 20150830T123559Z")],
)
def test_a_request_may_be_five_minutes_off_and_no_second_more(minutes: int, limit: str) -> None:
    now = NOW + timedelta(minutes=minutes)
    second = timedelta(seconds=1 if minutes > 0 else -1)
    with pytest.raises(SignatureError, match="we calculated"):
        verified_access_key(authorized(), lambda _key: SECRET, now)
    with pytest.raises(SignatureError, match=limit):
        verified_access_key(authorized(), lambda _key: SECRET, now + second)


def test_a_mangled_header_is_incomplete() -> None:
    with pytest.raises(CrowdError) as refused:
        verified_access_key(authorized(signature="xyz"), lambda _key: SECRET, NOW)

    assert refused.value.code == "IncompleteSignatureException"
