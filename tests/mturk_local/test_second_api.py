"""The second API keeps its contract: the service takes these calls and replies in this shape."""

import json
import time
from datetime import UTC, datetime
from typing import TYPE_CHECKING, Any

import pytest
import requests
from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from mturk_local import people
from mturk_local.models import HIT, Channel, Inquiry, KeyPair, Withdrawal, Worker
from tests.mturk_local.conftest import Guest, make_hit
from tests.second_api import CALLS, PATH, TARGET, shape

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["crowd"])


def test_the_contract_has_every_operation() -> None:
    assert sorted(call.operation for call in CALLS) == sorted(people.OPERATIONS)


def test_the_service_replies_as_the_contract_says(crowd: str, mturk: "MTurkClient") -> None:
    key = KeyPair.objects.get()
    hit_id = make_hit(mturk, RequesterAnnotation="batch-1:0")
    guest = Guest(crowd)
    values: dict[str, Any] = {"$next_week": int(time.time()) + 7 * 86_400}
    for call in CALLS:
        parameters = {
            name: values.get(value, value) if isinstance(value, str) else value
            for name, value in call.parameters.items()
        }
        reply = send(crowd, key, call.operation, parameters)
        assert shape(reply) == shape(call.reply), call.operation
        if call.operation == "CreatePanel":
            come(guest, hit_id)
            values |= {
                "$channel": reply["Channel"]["ChannelId"],
                "$worker": Worker.objects.get(visits__isnull=False).worker_id,
                "$inquiry": Inquiry.objects.get().inquiry_id,
            }
        if call.operation == "RevokeChannel":  # nobody at work is forgotten
            guest.browser.open(f"{guest.site}hits/{hit_id}/")
            guest.give_back()


def come(guest: Guest, hit_id: str) -> None:
    """Somebody comes by the panel, accepts the HIT and asks about it."""
    slug = Channel.objects.get(kind="panel").panel
    guest.text(f"panel/{slug}/?PROLIFIC_PID=p1&STUDY_ID=s1&SESSION_ID=x1")
    guest.accept(hit_id)
    hit = HIT.objects.get(hit_id=hit_id)
    Withdrawal.objects.create(
        requester=hit.requester, worker_id="A1", assignment_id="3A", at=datetime.now(UTC)
    )
    Inquiry.objects.create(
        requester=hit.requester,
        worker=Worker.objects.get(visits__isnull=False),
        hit=hit,
        text="Does spelling count?",
        asked_at=datetime.now(UTC),
    )


def send(crowd: str, key: KeyPair, operation: str, parameters: dict[str, Any]) -> Any:
    """The reply to one signed call."""
    url = f"{crowd}/mturk/{PATH}"
    request = AWSRequest(
        method="POST",
        url=url,
        data=json.dumps(parameters),
        headers={
            "X-Amz-Target": f"{TARGET}.{operation}",
            "Content-Type": "application/x-amz-json-1.1",
        },
    )
    credentials = Credentials(key.access_key_id, key.secret_access_key)
    SigV4Auth(credentials, "mturk-requester", "us-east-1").add_auth(request)
    reply = requests.post(url, data=request.data, headers=dict(request.headers), timeout=120)
    assert reply.status_code == 200, (operation, reply.text)
    return reply.json()
