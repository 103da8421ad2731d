"""Faults on order: what a client of the service must survive, seen through boto3."""

from collections.abc import Callable
from typing import TYPE_CHECKING

import pytest
from botocore.exceptions import ClientError, ConnectionClosedError
from pytest_django import Settings

from annotation.mturk_local.models import KeyPair
from tests.integration.crowd.conftest import TYPE, available, make_hit
from tests.integration.crowd.control import CrowdControl

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def control(crowd: str, mturk: "MTurkClient", settings: Settings) -> CrowdControl:
    """The control API with the key that `mturk` signs with."""
    settings.MTURK_LOCAL_CONTROL = True
    key = KeyPair.objects.get()
    return CrowdControl(f"{crowd}/mturk/", key.access_key_id, key.secret_access_key)


def test_a_throttled_call_does_nothing_and_the_next_one_passes(
    mturk: "MTurkClient", control: CrowdControl
) -> None:
    control.fault("throttle", "CreateHIT")
    with pytest.raises(ClientError, match="ThrottlingException"):
        make_hit(mturk)
    hit_id = make_hit(mturk)

    assert [hit["HITId"] for hit in mturk.list_hits()["HITs"]] == [hit_id]


def test_a_lost_reply_leaves_a_hit_that_the_token_finds(
    mturk: "MTurkClient", control: CrowdControl
) -> None:
    control.fault("lost_reply", "CreateHIT")
    with pytest.raises(ConnectionClosedError):
        make_hit(mturk, UniqueRequestToken="t")
    (hit,) = mturk.list_hits()["HITs"]

    with pytest.raises(ClientError, match=hit["HITId"]):
        make_hit(mturk, UniqueRequestToken="t")


@pytest.mark.parametrize("kind", ["truncated", "empty"])
def test_a_spoiled_reply_reads_as_success_without_a_hit(
    mturk: "MTurkClient", control: CrowdControl, kind: str
) -> None:
    control.fault(kind, "CreateHITType")

    assert "HITTypeId" not in mturk.create_hit_type(**TYPE)
    assert "HITTypeId" in mturk.create_hit_type(**TYPE)


@pytest.mark.parametrize(
    ("kind", "code"), [("service_fault", "ServiceFault"), ("unavailable", "503")]
)
def test_the_services_own_faults_do_nothing(
    mturk: "MTurkClient", control: CrowdControl, kind: str, code: str
) -> None:
    control.fault(kind)
    with pytest.raises(ClientError) as refused:
        make_hit(mturk)

    assert refused.value.response["Error"]["Code"] == code
    assert mturk.list_hits()["HITs"] == []


def test_any_refusal_can_be_ordered(mturk: "MTurkClient", control: CrowdControl) -> None:
    detail = {"Code": "ExpiredTokenException", "Message": "The token has expired", "Status": 403}
    control.fault("refuse", "GetAccountBalance", Skip=1, Detail=detail)
    assert available(mturk) == "10000.00"
    with pytest.raises(ClientError) as refused:
        available(mturk)

    assert refused.value.response["Error"]["Code"] == "ExpiredTokenException"
    assert refused.value.response["ResponseMetadata"]["HTTPStatusCode"] == 403


def test_a_page_can_repeat_an_item_and_its_token(
    mturk: "MTurkClient", control: CrowdControl
) -> None:
    for _ in range(3):
        make_hit(mturk)
    control.fault("duplicate_items", "ListHITs")
    first = mturk.list_hits(MaxResults=2)
    control.fault("same_token", "ListHITs")
    second = mturk.list_hits(MaxResults=2, NextToken=first["NextToken"])

    assert first["HITs"][0] == first["HITs"][2]
    assert second["NextToken"] == first["NextToken"]


def test_faults_come_by_chance_but_always_the_same(
    mturk: "MTurkClient", control: CrowdControl
) -> None:
    control.fault("throttle", "GetAccountBalance", Times=1000, Chance=0.3)
    refused = 0
    for _ in range(40):
        try:
            available(mturk)
        except ClientError:
            refused += 1

    # 12 of 40 on average; which ones follows from the fault's number, which other tests move on.
    assert 0 < refused < 40
    (fault,) = control.call("ListFaults")["Faults"]
    assert (fault["Seen"], fault["Done"]) == (40, refused)


def test_faults_hit_one_key_only(
    mturk: "MTurkClient",
    control: CrowdControl,
    client_of: Callable[[str], "MTurkClient"],
) -> None:
    control.fault("throttle", Times=1000)

    assert available(client_of("other")) == "10000.00"
    control.call("ClearFaults")
    assert available(mturk) == "10000.00"


def test_the_clock_moves_the_life_of_hits_but_never_the_signature(
    mturk: "MTurkClient", control: CrowdControl
) -> None:
    hit_id = make_hit(mturk, LifetimeInSeconds=3600)
    control.call("SetClock", OffsetSeconds=3601)

    assert mturk.get_hit(HITId=hit_id)["HIT"]["HITStatus"] == "Reviewable"


def test_events_without_an_address_wait_in_a_queue(
    mturk: "MTurkClient", control: CrowdControl
) -> None:
    mturk.send_test_event_notification(
        TestEventType="Ping",
        Notification={
            "Destination": "https://sqs.example/queue",
            "Transport": "SQS",
            "Version": "2014-08-15",
            "EventTypes": ["Ping"],
        },
    )
    wanted = {"Destination": "https://sqs.example/queue"}
    (document,) = control.call("ReceiveNotifications", **wanted)["Documents"]

    assert document["Events"][0]["EventType"] == "Ping"
    assert control.call("ReceiveNotifications", **wanted)["Documents"] == []


def test_without_the_setting_there_is_no_control(
    crowd: str, mturk: "MTurkClient", settings: Settings
) -> None:
    settings.MTURK_LOCAL_CONTROL = False
    key = KeyPair.objects.get()
    control = CrowdControl(f"{crowd}/mturk/", key.access_key_id, key.secret_access_key)

    with pytest.raises(AssertionError, match="UnknownOperationException"):
        control.call("SetClock", OffsetSeconds=1)
