"""The second API keeps its contract: the client sends these calls and understands the replies."""

import json
import threading
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from annotation.crowd.client import KeyPair
from annotation.crowd.participants import ImportedSubmissions, Participants
from annotation.crowd.people import Channel, Inquiry, People, Person
from tests.second_api import CALLS, PATH, TARGET

Sent = list[tuple[str, str, Any]]
KEY = KeyPair("AKIAEXAMPLE", "a secret")


@pytest.fixture
def service() -> Iterator[tuple[str, Sent]]:
    """Where a service replies as the contract says, and what it was sent: path, target, body."""
    replies = {f"{TARGET}.{call.operation}": call.reply for call in CALLS}
    sent: Sent = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            target = self.headers["X-Amz-Target"]
            body = self.rfile.read(int(self.headers["Content-Length"]))
            sent.append((self.path, target, json.loads(body)))
            self.send_response(200)
            self.end_headers()
            self.wfile.write(json.dumps(replies[target]).encode())

        def log_message(self, *_args: Any) -> None:
            pass

    server = HTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_port}/mturk/", sent
    server.shutdown()
    thread.join()
    server.server_close()


def create(people: People, kind: str, parameters: dict[str, Any]) -> Channel:
    members = dict(parameters)
    reference, hit_type_id = members.pop("Reference"), members.pop("HITTypeId")
    annotation = members.pop("Annotation")
    return people.create_channel(
        kind, reference=reference, hit_type_id=hit_type_id, annotation=annotation, **members
    )


#: By operation, what the site calls for it, and whether it has understood the reply.
USES: dict[str, tuple[Callable[[People, Any], Any], Callable[[Any], bool]]] = {
    "CreateLink": (lambda people, sent: create(people, "link", sent), lambda made: made.is_open),
    "CreateAccount": (
        lambda people, sent: create(people, "account", sent),
        lambda made: made.is_open,
    ),
    "CreatePanel": (
        lambda people, sent: create(people, "panel", sent),
        lambda made: made.own["CompletionCode"] == "C1",
    ),
    "ListChannels": (
        lambda people, sent: people.channels(
            reference=sent["Reference"], annotation=sent["Annotation"]
        ),
        lambda channels: [channel.n_came for channel in channels] == [1],
    ),
    "RevokeChannel": (lambda people, sent: people.revoke(sent["ChannelId"]), lambda _: True),
    "CreateTicket": (
        lambda people, sent: people.ticket(sent["Person"], annotations=sent["Annotations"]),
        lambda url: "/join/ticket/" in url,
    ),
    "FindPerson": (
        lambda people, sent: people.find_person(sent["WorkerId"]),
        lambda person: person == Person(("APANEL1",), "", is_at_work=False, works_elsewhere=False),
    ),
    "ForgetPerson": (lambda people, sent: people.forget_person(sent["WorkerId"]), lambda _: True),
    "ListWithdrawals": (
        lambda people, _sent: list(people.withdrawals()),
        lambda told: told == [("APANEL1", "3ASSIGNMENT"), ("APANEL1", "")],
    ),
    "ListInquiries": (
        lambda people, sent: list(people.inquiries(annotation=sent["Annotation"])),
        lambda inquiries: [inquiry.answered_at for inquiry in inquiries] == [None],
    ),
    "AnswerInquiry": (
        lambda people, sent: people.answer_inquiry(sent["InquiryId"], sent["Text"]),
        lambda inquiry: isinstance(inquiry, Inquiry) and inquiry.answer == "No.",
    ),
    "ReceiveNotifications": (
        lambda people, sent: people.take_events(sent["Destination"]),
        lambda hit_ids: hit_ids == [],
    ),
}
USES_OF_PANELS: dict[str, tuple[Callable[[Participants, Any], Any], Any]] = {
    "ListParticipants": (
        lambda panels, _sent: list(panels.verifications()),
        [("APANEL1", "waiting")],
    ),
    "CheckSubmissions": (
        lambda panels, sent: panels.check_submissions(map(tuple, sent["Submissions"])),
        ImportedSubmissions(verified=1, waiting=0, refused=0, not_here=1, kept=()),
    ),
    "ImportSubmissions": (
        lambda panels, sent: panels.import_submissions(map(tuple, sent["Submissions"])),
        ImportedSubmissions(verified=1, waiting=0, refused=0, not_here=1, kept=()),
    ),
}


def test_the_site_uses_every_operation_of_the_contract() -> None:
    assert {call.operation for call in CALLS} == {*USES, *USES_OF_PANELS}


@pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
@pytest.mark.parametrize("call", CALLS, ids=str)
def test_the_client_calls_as_the_contract_says(service: tuple[str, Sent], call: Any) -> None:
    endpoint, sent = service
    if call.operation in USES:
        use, is_understood = USES[call.operation]
        assert is_understood(use(People(endpoint, KEY), call.parameters))
    else:
        use_of_panels, expected = USES_OF_PANELS[call.operation]
        assert use_of_panels(Participants(endpoint, KEY), call.parameters) == expected
    assert sent == [(f"/mturk/{PATH}", f"{TARGET}.{call.operation}", call.parameters)]
