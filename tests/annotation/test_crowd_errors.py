"""Errors of the crowd by what they mean; the texts are those that requesters have reported."""

import pytest
from botocore.exceptions import ClientError, EndpointConnectionError, NoCredentialsError

from annotation.crowd import errors
from annotation.crowd.errors import (
    AlreadyDoneError,
    CrossesTenError,
    CrowdAwayError,
    CrowdError,
    CrowdRefusedError,
    CrowdStopError,
    NotThereError,
    OutcomeUnknownError,
    ThrottledError,
    WrongStateError,
)


def reply(code: str, message: str, turk: str = "") -> CrowdError:
    body = {"Error": {"Code": code, "Message": message}, "Message": message}
    if turk:
        body["TurkErrorCode"] = f"AWS.MechanicalTurk.{turk}"
    return errors.from_reply(ClientError(body, "Any"))  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("code", "message", "kind"),
    [
        ("RequestError", "Hit X does not exist. (1563311902391 s)", NotThereError),
        (
            "RequestError",
            "This operation can be called with a status of: Submitted (1625139618656)",
            WrongStateError,
        ),
        (
            "RequestError",
            "This Requester has insufficient funds in their account to complete this transaction.",
            CrowdStopError,
        ),
        (
            "RequestError",
            "This user is not authorized to perform the requested operation. (1 s)",
            CrowdStopError,
        ),
        (
            "RequestError",
            "Your AWS account must be linked to your Amazon Mechanical Turk Account.",
            CrowdStopError,
        ),
        ("ParameterValidationError", "There was an error parsing the HTML5", CrowdRefusedError),
        ("ValidationException", "1 validation error detected", CrowdRefusedError),
        ("RequestError", "The reward 500 is not allowed (404 s)", CrowdRefusedError),
        ("ThrottlingException", "Rate exceeded", ThrottledError),
        ("ServiceFault", "", OutcomeUnknownError),
        ("503", "Service Unavailable", OutcomeUnknownError),
        ("404", "Not yet implemented", CrowdStopError),
        ("ExpiredTokenException", "The security token included is expired", CrowdStopError),
        ("InvalidSignatureException", "Credential should be scoped", CrowdStopError),
        (
            "RequestError",
            'The idempotency token "3XWed Jul 14 20:26:06 UTC 2021" has already been processed.',
            AlreadyDoneError,
        ),
    ],
)
def test_a_reply_is_sorted_by_what_it_means(
    code: str, message: str, kind: type[CrowdError]
) -> None:
    assert type(reply(code, message)) is kind


@pytest.mark.parametrize("turk", ["HITAlreadyExists", "HitAlreadyExists"])
def test_a_hit_that_exists_is_named_however_the_code_is_spelt(turk: str) -> None:
    error = reply("RequestError", "The HIT 3QHITTW7OYX4AL5NKVPX9ZZVV5BAQZ exists. (1 s)", turk)
    assert isinstance(error, AlreadyDoneError)
    assert error.hit_id == "3QHITTW7OYX4AL5NKVPX9ZZVV5BAQZ"


def test_crossing_ten_assignments_is_told_apart() -> None:
    assert isinstance(
        reply("RequestError", "no", "InvalidMaximumAssignmentsIncrease"), CrossesTenError
    )


def test_what_is_no_reply_is_sorted_too() -> None:
    assert type(errors.from_transport(NoCredentialsError())) is CrowdStopError
    away = EndpointConnectionError(endpoint_url="http://127.0.0.1:9/")
    assert type(errors.from_transport(away)) is CrowdAwayError
    assert type(errors.from_transport(ValueError("x"))) is OutcomeUnknownError
