"""Events told to requesters: posted, or kept until they can be."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from io import StringIO
from typing import TYPE_CHECKING, Any

import pytest
from django.core.management import call_command

from annotation.mturk_local import clock
from annotation.mturk_local.lifecycle import events
from annotation.mturk_local.models import Notification
from tests.integration.crowd.conftest import AT_ONCE, TYPE, Annotator, assignments, make_hit

if TYPE_CHECKING:
    from mypy_boto3_mturk import MTurkClient

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
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
    thread = threading.Thread(target=server.serve_forever)
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
    clock.set_offset(601)
    ada.text()
    ada.accept(hit_id)
    ada.answer(label="cat")
    mturk.approve_assignment(AssignmentId=assignments(mturk, hit_id)[0]["AssignmentId"])
    mturk.create_additional_assignments_for_hit(HITId=hit_id, NumberOfAdditionalAssignments=1)
    mturk.update_expiration_for_hit(HITId=hit_id, ExpireAt=AT_ONCE)
    mturk.delete_hit(HITId=hit_id)

    assert [document["Events"][0]["EventType"] for document in received] == [
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
    assert {document["Events"][0]["HITId"] for document in received} == {hit_id}
    assert len({document["EventDocId"] for document in received}) == len(received)


def test_a_test_event_is_sent_at_once(
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

    assert received[0]["Events"][0]["EventType"] == "Ping"


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
    call_command("crowd_sweep", stdout=(said := StringIO()))
    assert said.getvalue().startswith("1 notifications wait")
    Notification.objects.update(destination=address)
    call_command("crowd_sweep", stdout=(said := StringIO()))

    assert said.getvalue().startswith("0 notifications wait")
    assert len(received) == 1
