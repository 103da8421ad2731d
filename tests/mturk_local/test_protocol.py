"""The wire: signatures, malformed requests, and refusals in Amazon's shapes."""

import json
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, Any

import boto3  # noqa: TID251 - the suite drives the service with the client that people use
import pytest
import requests
import time_machine
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.config import Config
from botocore.credentials import Credentials
from botocore.exceptions import ClientError, WaiterError
from botocore.waiter import WaiterModel, create_waiter_with_client

from mturk_local.keys import key_file_ensure, key_pair_issue
from mturk_local.models import KeyPair
from mturk_local.operations import operations
from mturk_local.questions import MOST_BYTES
from tests.mturk_local.conftest import AT_ONCE, QUESTION, TYPE, available, make_hit

if TYPE_CHECKING:
    from pathlib import Path

    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])
Send = Callable[..., requests.Response]


@pytest.fixture
def send(crowd: str) -> Send:
    """Send one signed request as it is, without botocore's own checks; `tamper` changes it."""
    pair = key_pair_issue(requester_name="lab")
    credentials = Credentials(pair.access_key_id, pair.secret_access_key)

    def sent(
        operation: str,
        body: Any,
        tamper: Callable[[Any], None] = lambda _: None,
        content_type: str = "application/x-amz-json-1.1",
    ) -> Any:
        request = AWSRequest(
            method="POST",
            url=f"{crowd}/mturk/",
            data=body if isinstance(body, str | bytes) else json.dumps(body),
            headers={
                "X-Amz-Target": f"MTurkRequesterServiceV20170117.{operation}",
                "Content-Type": content_type,
            },
        )
        SigV4Auth(credentials, "mturk-requester", "eu-west-1").add_auth(request)
        tamper(request)
        return requests.post(
            f"{crowd}/mturk/", data=request.data, headers=dict(request.headers), timeout=120
        )

    return sent


def client_with(crowd: str, key_id: str, secret: str, **other: Any) -> "MTurkClient":
    return boto3.client(
        "mturk",
        endpoint_url=f"{crowd}/mturk/",
        region_name="us-east-1",
        aws_access_key_id=key_id,
        aws_secret_access_key=secret,
        config=Config(retries={"total_max_attempts": 1}),
        **other,
    )


def code_of(client: "MTurkClient") -> str:
    with pytest.raises(ClientError) as refused:
        client.get_account_balance()
    client.close()
    return str(refused.value.response["Error"]["Code"])


def test_every_reply_has_a_request_id_and_any_region_will_do(send: Send) -> None:
    reply = send("GetAccountBalance", {})

    assert reply.status_code == 200
    assert reply.headers["Content-Type"] == "application/x-amz-json-1.1"
    assert len(reply.headers["x-amzn-RequestId"]) == 36


def test_a_wrong_secret_and_an_unknown_key_are_refused(crowd: str) -> None:
    pair = key_pair_issue(requester_name="lab")

    assert code_of(client_with(crowd, pair.access_key_id, "wrong")) == "InvalidSignatureException"
    assert code_of(client_with(crowd, "AKIANOBODY", "x")) == "UnrecognizedClientException"
    KeyPair.objects.update(active=False)
    inactive = client_with(crowd, pair.access_key_id, pair.secret_access_key)
    assert code_of(inactive) == "UnrecognizedClientException"


def test_temporary_credentials_are_signed_like_others(crowd: str) -> None:
    pair = key_pair_issue(requester_name="lab")
    client = client_with(
        crowd, pair.access_key_id, pair.secret_access_key, aws_session_token="session"
    )

    assert available(client) == "10000.00"
    client.close()


@pytest.mark.parametrize("minutes", [-6, 6])
def test_a_signature_is_good_for_five_minutes(crowd: str, minutes: int) -> None:
    pair = key_pair_issue(requester_name="lab")
    request = AWSRequest(
        method="POST",
        url=f"{crowd}/mturk/",
        data="{}",
        headers={"X-Amz-Target": "MTurkRequesterServiceV20170117.GetAccountBalance"},
    )
    credentials = Credentials(pair.access_key_id, pair.secret_access_key)
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=minutes)):
        SigV4Auth(credentials, "mturk-requester", "us-east-1").add_auth(request)
    reply = requests.post(f"{crowd}/mturk/", data="{}", headers=dict(request.headers), timeout=120)

    assert reply.json()["__type"] == "InvalidSignatureException"
    assert ("Signature expired" if minutes < 0 else "not yet current") in reply.json()["Message"]


def _other_body(request: Any) -> None:
    request.data = '{"HITId": "3X"}'


def _other_target(request: Any) -> None:
    request.headers.replace_header("X-Amz-Target", "MTurkRequesterServiceV20170117.ListHITs")


def _claimed_digest(request: Any) -> None:
    request.data = '{"HITId": "3X"}'
    request.headers["X-Amz-Content-SHA256"] = "0" * 64


@pytest.mark.parametrize("tamper", [_other_body, _other_target, _claimed_digest])
def test_what_was_changed_on_the_way_is_refused(send: Send, tamper: Callable[[Any], None]) -> None:
    reply = send("GetAccountBalance", {}, tamper)

    assert (reply.status_code, reply.json()["__type"]) == (400, "InvalidSignatureException")


def test_a_request_without_a_signature_is_refused(crowd: str) -> None:
    target = {"X-Amz-Target": "MTurkRequesterServiceV20170117.ListHITs"}
    reply = requests.post(f"{crowd}/mturk/", data="{}", headers=target, timeout=120)

    assert reply.json()["__type"] == "MissingAuthenticationTokenException"


@pytest.mark.parametrize(
    ("operation", "body", "code"),
    [
        ("Nonsense", {}, "UnknownOperationException"),
        ("GetHIT", "{", "SerializationException"),
        ("GetHIT", [], "SerializationException"),
        ("GetHIT", {"HITId": 3}, "SerializationException"),
        ("UpdateExpirationForHIT", {"HITId": "3X", "ExpireAt": "soon"}, "SerializationException"),
        ("NotifyWorkers", {"Subject": "\x00"}, "SerializationException"),
        ("NotifyWorkers", {"Subject": "\ud800"}, "SerializationException"),
        ("ListHITs", {"MaxResults": 2**31}, "SerializationException"),
        ("ListHITs", {"MaxResults": True}, "SerializationException"),
        ("CreateHITType", {"AutoApprovalDelayInSeconds": 2**63}, "SerializationException"),
        ("GetHIT", {}, "ValidationException"),
        ("GetHIT", {"HITId": "lower"}, "ValidationException"),
        ("ListHITs", {"MaxResults": 101}, "ValidationException"),
        ("ListReviewableHITs", {"Status": "Done"}, "ValidationException"),
        ("GetHIT", {"HITId": "3X"}, "RequestError"),
    ],
)
def test_bad_requests_get_amazons_errors(send: Send, operation: str, body: Any, code: str) -> None:
    reply = send(operation, body)

    assert (reply.status_code, reply.json()["__type"]) == (400, code)


def test_a_validation_error_names_every_fault_as_amazon_does(send: Send) -> None:
    said = send("RejectAssignment", {"AssignmentId": "x" * 65}).json()["Message"]

    assert said.startswith("3 validation errors detected: ")
    assert (
        "Value null at 'requesterFeedback' failed to satisfy constraint: Member must not be null"
        in said
    )
    assert "Member must have length less than or equal to 64" in said
    assert "Member must satisfy regular expression pattern: ^[A-Z0-9]+$" in said


def test_refusals_are_the_clients_own_exceptions(mturk: "MTurkClient") -> None:
    with pytest.raises(mturk.exceptions.RequestError) as refused:
        mturk.get_hit(HITId="3MISSING")
    error: Any = refused.value.response

    assert error["Error"]["Code"] == "RequestError"
    assert error["TurkErrorCode"] == "AWS.MechanicalTurk.HitDoesNotExist"
    # Amazon's text ends with the moment in milliseconds.
    assert error["Message"].startswith("Hit 3MISSING does not exist. (")


def wrapped(html: str) -> str:
    return QUESTION[: QUESTION.index("<![CDATA[")] + html + QUESTION[QUESTION.index("</HTMLCont") :]


@pytest.mark.parametrize(
    ("question", "said"),
    [
        ("<not closed", "XML"),
        ("<HTMLQuestion/>", "XML"),
        (wrapped("&tx;"), "XML"),
        (wrapped(""), "HTMLContent"),
        (wrapped("<![CDATA[\U0001f600]]>"), "Question"),
        (wrapped("x" * MOST_BYTES), str(MOST_BYTES)),
        ('<!DOCTYPE a [<!ENTITY b "c">]>' + QUESTION, "XML"),
        ("<!DOCTYPE html><html><body><form>x</form></body></html>", "HTMLContent"),
        ("<html><body><form>x</form></body></html>", "HTMLContent"),
        ("<crowd-form><p>one<br>two</crowd-form>", "HTMLContent"),
        (wrapped("<![CDATA[<script src='x'></script><crowd-form>x</crowd-form>]]>"), "<form>"),
        (
            QUESTION.replace("<FrameHeight>0</FrameHeight>", ""),
            "FrameHeight",
        ),
    ],
)
def test_questions_that_amazon_refuses_are_refused(
    mturk: "MTurkClient", question: str, said: str
) -> None:
    with pytest.raises(ClientError, match=said):
        make_hit(mturk, Question=question)

    assert mturk.list_hits()["HITs"] == []


@pytest.mark.parametrize(
    "limit",
    [
        {"Title": "x" * 129},
        {"Keywords": "x" * 1001},
        {"Description": "\U0001f600"},
        {"RequesterAnnotation": "é"},
        {"LifetimeInSeconds": 29},
        {"AutoApprovalDelayInSeconds": 2_592_001},
        {"MaxAssignments": 0},
        {"Reward": "0.123"},
        {"Reward": "99999999999"},
    ],
)
def test_the_documented_limits_hold(mturk: "MTurkClient", limit: dict[str, Any]) -> None:
    with pytest.raises(ClientError, match=r"ParameterValidationError|ValidationException"):
        make_hit(mturk, **limit)


def test_every_operation_of_the_model_is_served(mturk: "MTurkClient") -> None:
    assert list(mturk.meta.service_model.operation_names) == list(operations())


def test_a_waiter_polls_until_a_hit_is_reviewable(mturk: "MTurkClient") -> None:
    # The model defines no waiter for this service; botocore runs those that people define.
    hit_id = make_hit(mturk)
    waiter = create_waiter_with_client(
        "HITReviewable",
        WaiterModel(
            {
                "version": 2,
                "waiters": {
                    "HITReviewable": {
                        "operation": "GetHIT",
                        "delay": 0,
                        "maxAttempts": 3,
                        "acceptors": [
                            {
                                "matcher": "path",
                                "argument": "HIT.HITStatus",
                                "expected": "Reviewable",
                                "state": "success",
                            }
                        ],
                    }
                },
            }
        ),
        mturk,
    )
    with pytest.raises(WaiterError):
        waiter.wait(HITId=hit_id)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=AT_ONCE)
    waiter.wait(HITId=hit_id)


def test_the_key_file_is_made_once_and_for_its_owner_only(crowd: str, tmp_path: "Path") -> None:
    path = tmp_path / "key.json"
    first = key_file_ensure(path, requester_name="lab")
    content = json.loads(path.read_text())

    assert path.stat().st_mode & 0o777 == 0o600
    assert key_file_ensure(path, requester_name="lab") == first
    client = client_with(crowd, content["access_key_id"], content["secret_access_key"])
    assert "HITTypeId" in client.create_hit_type(**TYPE)
    client.close()
    path.write_text("{}")
    assert key_file_ensure(path, requester_name="lab") != first
