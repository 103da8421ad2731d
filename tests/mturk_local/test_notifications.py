"""Events told to requesters: posted, or kept until they can be."""

import json
import threading
from collections.abc import Callable, Iterator
from datetime import timedelta
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from botocore.exceptions import ClientError
from django.core.management import call_command
from django.utils import timezone

from mturk_local import people
from mturk_local.commands import sweep
from mturk_local.keys import key_pair_issue
from mturk_local.lifecycle import events
from mturk_local.lifecycle.sweep import MOST_IN_A_REQUEST
from mturk_local.models import (
    HIT,
    Assignment,
    AssignmentState,
    EntryChannel,
    KeyPair,
    Notification,
)
from mturk_local.workers import worker_create
from tests.mturk_local.conftest import AT_ONCE, TYPE, Annotator, assignments, make_hit
from tests.mturk_local.time_passing import let_time_pass

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = [
    pytest.mark.timed,
    pytest.mark.django_db(transaction=True, databases=["crowd"]),
]
People = Callable[[str], Annotator]


@pytest.fixture
def receiver(monkeypatch: pytest.MonkeyPatch) -> Iterator[tuple[str, list[Any]]]:
    """An address that collects what is posted to it, however long that takes."""
    monkeypatch.setattr(events, "_TIMEOUT_SECONDS", 60)
    received: list[Any] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            received.append(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))
            self.send_response(204)
            self.end_headers()

        def log_message(self, *args: object) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,))
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/events", received
    server.shutdown()
    thread.join()
    server.server_close()


EVENTS = [
    "HITCreated",
    "AssignmentAccepted",
    "AssignmentReturned",
    "AssignmentAbandoned",
    "AssignmentSubmitted",
    "AssignmentApproved",
    "HITReviewable",
    "HITExtended",
    "HITExpired",
    "HITDisposed",
]


def test_events_are_posted_as_the_life_of_a_hit_goes_on(
    mturk: "MTurkClient", annotator: People, receiver: tuple[str, list[Any]]
) -> None:
    address, received = receiver
    type_id = mturk.create_hit_type(**TYPE)["HITTypeId"]
    mturk.update_notification_settings(
        HITTypeId=type_id,
        Active=True,
        Notification={
            "Destination": address,
            "Transport": "SQS",
            "Version": "2014-08-15",
            "EventTypes": EVENTS,  # type: ignore[typeddict-item]  # a list of literals
        },
    )
    hit_id = make_hit(mturk)
    ada = annotator("ada")
    ada.accept(hit_id)
    ada.give_back()
    ada.accept(hit_id)
    let_time_pass(601)
    ada.text()
    ada.accept(hit_id)
    ada.answer(label="cat")
    mturk.approve_assignment(AssignmentId=assignments(mturk, hit_id)[0]["AssignmentId"])
    mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=AT_ONCE)
    mturk.delete_hit(HITId=hit_id)
    call_command(sweep.Command(), stdout=StringIO())

    # On a busy machine a call may have posted what had waited for long, and a receiver hears twice.
    documents = {document["EventDocId"]: document for document in received}.values()
    assert [document["Events"][0]["EventType"] for document in documents] == [
        "HITCreated",
        "AssignmentAccepted",
        "AssignmentReturned",
        "AssignmentAccepted",
        "AssignmentAbandoned",
        "AssignmentAccepted",
        "AssignmentSubmitted",
        "HITReviewable",
        "AssignmentApproved",
        "HITExtended",
        "HITExpired",
        "HITReviewable",
        "HITDisposed",
    ]
    assert {document["Events"][0]["HITId"] for document in documents} == {hit_id}


def test_a_test_event_is_posted_by_the_worker(
    mturk: "MTurkClient", receiver: tuple[str, list[Any]]
) -> None:
    address, received = receiver
    mturk.send_test_event_notification(
        TestEventType="Ping",
        Notification={
            "Destination": address,
            "Transport": "SNS",
            "Version": "2006-05-05",
            "EventTypes": ["Ping"],
        },
    )
    call_command(sweep.Command(), stdout=StringIO())

    assert received[0]["Events"][0]["EventType"] == "Ping"


def test_events_for_a_local_queue_wait_there_until_they_are_taken_out(
    mturk: "MTurkClient",
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
    asked = {"Destination": "https://sqs.example/queue"}
    other = key_pair_issue(requester_name="other")
    assert people.carry_out("ReceiveNotifications", other, asked) == {"Documents": []}
    key = KeyPair.objects.get(requester__name="lab")
    (document,) = people.carry_out("ReceiveNotifications", key, asked)["Documents"]

    assert document["Events"][0]["EventType"] == "Ping"
    assert people.carry_out("ReceiveNotifications", key, asked) == {"Documents": []}


def test_what_could_not_be_delivered_is_sent_by_the_sweep(
    mturk: "MTurkClient", receiver: tuple[str, list[Any]]
) -> None:
    address, received = receiver
    nobody_listens = "http://127.0.0.1:9/events"
    mturk.send_test_event_notification(
        TestEventType="Ping",
        Notification={
            "Destination": nobody_listens,
            "Transport": "SQS",
            "Version": "2014-08-15",
            "EventTypes": ["Ping"],
        },
    )
    before = timezone.now()
    call_command(sweep.Command(), stdout=(said := StringIO()))
    assert said.getvalue().startswith("1 notifications wait")
    assert Notification.objects.filter(next_at__gte=before + timedelta(seconds=10)).count() == 1
    Notification.objects.update(next_at=timezone.now() + timedelta(hours=1))
    call_command(sweep.Command(), stdout=(said := StringIO()))
    assert Notification.objects.get().attempts == 1  # its next time has not come
    Notification.objects.update(destination=address, next_at=timezone.now())
    call_command(sweep.Command(), stdout=(said := StringIO()))

    assert said.getvalue().startswith("0 notifications wait")
    assert len({document["EventDocId"] for document in received}) == 1


def test_on_a_site_without_a_worker_requesters_post_and_annotators_do_not(
    mturk: "MTurkClient", annotator: People, receiver: tuple[str, list[Any]]
) -> None:
    address, received = receiver
    for _ in range(3):
        mturk.send_test_event_notification(
            TestEventType="Ping",
            Notification={
                "Destination": address,
                "Transport": "SQS",
                "Version": "2014-08-15",
                "EventTypes": ["Ping"],
            },
        )
    # On a busy machine the last of these calls may have posted the first event.
    before = len(received)
    waiting = Notification.objects.filter(delivered_at=None)
    waiting.update(next_at=timezone.now() - timedelta(minutes=1))
    n_waiting = waiting.count()
    annotator("ada").text()
    assert len(received) == before
    mturk.get_account_balance()
    assert len(received) > before
    assert waiting.count() == n_waiting - 1


def test_a_slow_receiver_keeps_no_annotator_waiting(
    mturk: "MTurkClient", annotator: People, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever posts within a request would be caught here."""

    def post(*_: object) -> None:
        raise AssertionError("posted within the request of an annotator")

    type_id = mturk.create_hit_type(**TYPE)["HITTypeId"]
    mturk.update_notification_settings(
        HITTypeId=type_id,
        Active=True,
        Notification={
            "Destination": "http://127.0.0.1:9/events",
            "Transport": "SQS",
            "Version": "2014-08-15",
            "EventTypes": EVENTS,  # type: ignore[typeddict-item]  # a list of literals
        },
    )
    hit_id = make_hit(mturk)
    monkeypatch.setattr(events, "_post", post)
    ada = annotator("ada")
    ada.accept(hit_id)
    assert ada.answer(label="cat").status_code == 200
    assert Notification.objects.filter(attempts=0).count() == Notification.objects.count() > 3


def test_a_page_approves_a_few_of_what_is_due_and_the_worker_the_rest(
    mturk: "MTurkClient", annotator: People
) -> None:
    number = 3 * MOST_IN_A_REQUEST
    make_hit(mturk, MaxAssignments=number)
    hit, now = HIT.objects.get(), timezone.now()
    Assignment.objects.bulk_create(
        Assignment(
            hit=hit,
            worker=worker_create(entry_channel=EntryChannel.INVITE),
            assignment_id=f"3TEST{n:04}",
            person=f"p{n}",
            state=AssignmentState.SUBMITTED,
            accepted_at=now,
            deadline=now,
            submitted_at=now,
            auto_approval_at=now - timedelta(seconds=1),
        )
        for n in range(number)
    )
    HIT.objects.update(open_slots=0)
    due = Assignment.objects.filter(state=AssignmentState.SUBMITTED)
    annotator("ada")
    ready = due.count()
    assert number - 3 * MOST_IN_A_REQUEST < ready < number
    last = due.order_by("-pk")[0]
    with pytest.raises(ClientError):
        mturk.reject_assignment(AssignmentId=last.assignment_id, RequesterFeedback="Too late.")
    call_command(sweep.Command(), stdout=StringIO())
    assert not due.exists()
