"""What an annotator's page costs the database does not depend on how much there is."""

import re
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Any

import pytest
from django.db import connections
from django.test import Client
from django.test.utils import CaptureQueriesContext

from mturk_local.models import EntryChannel, Requester
from mturk_local.operations import Call, operations
from mturk_local.workers import worker_create
from tests.mturk_local.conftest import QUESTION, TYPE

pytestmark = pytest.mark.django_db(databases=["crowd"])


def offer(requester: Requester, number: int) -> None:
    asked = {**TYPE, "Question": QUESTION, "LifetimeInSeconds": 3600, "MaxAssignments": 5}
    for _ in range(number):
        operations()["CreateHIT"].carry(Call(requester, asked, datetime.now(UTC)))


def annotator(name: str) -> Client:
    worker_create(entry_channel=EntryChannel.ACCOUNT, username=name, password="correct horse")
    client = Client()
    client.post("/annotate/sign-in/", {"username": name, "password": "correct horse"})
    return client


def walk(client: Client) -> dict[str, int]:
    """One HIT from the list to the answer; the statements of each page."""
    costs: dict[str, int] = {}

    def ask(name: str, send: Callable[[], Any]) -> str:
        with CaptureQueriesContext(connections["crowd"]) as crowd:
            reply = send()
        costs[name] = len(crowd)
        assert reply.status_code in {200, 302}, (name, reply.status_code)
        return str(reply.headers.get("Location") or reply.content.decode())

    def found(pattern: str, page: str) -> str:
        match = re.search(pattern, page)
        assert match is not None, page
        return match[1].replace("&amp;", "&")

    listed = ask("list", lambda: client.get("/annotate/"))
    group = found(r'href="(/annotate/groups/[^"]+)"', listed)
    shown = ask("preview", lambda: client.get(group))
    frame = found(r'<iframe src="([^"]+)"', shown)
    ask("frame of the preview", lambda: client.get(frame))
    accept = found(r'action="([^"]+/accept/)"', shown)
    taken = ask("accept", lambda: client.post(accept))
    task = ask("assignment", lambda: client.get(taken))
    inner = ask("frame", lambda: client.get(found(r'<iframe src="([^"]+)"', task)))
    address = found(r'<form action="http://testserver([^"]+)"', inner)
    number = found(r'name="assignmentId"[^>]* value="([^"]+)"', inner)
    fields = {"assignmentId": number, "v": "1", "label": "cat"}
    ask("submit", lambda: client.post(address, fields))
    return costs


@pytest.mark.long
def test_a_page_takes_as_many_statements_with_a_hundred_tasks_as_with_a_few() -> None:
    requester = Requester.objects.create(name="lab")
    offer(requester, 3)
    ada = annotator("ada")
    walk(ada)
    few = walk(ada)
    offer(requester, 100)
    for name in ("ben", "cem", "dan"):
        walk(annotator(name))
    assert walk(ada) == few
    # Who, what time it is, what is due: that much every page asks. Submitting has three savepoints.
    assert max(few.values()) <= 15, few
    assert sum(few.values()) <= 50, few
