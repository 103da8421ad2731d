"""Something to do on every page of the crowd service, for the tests of how its pages look."""

from datetime import UTC, datetime
from typing import Any

from django.test import Client
from django.urls import reverse

from mturk_local.lifecycle.assignments import assignment_submit
from mturk_local.models import (
    Assignment,
    EntryChannel,
    HITType,
    Panel,
    Requester,
    Worker,
)
from mturk_local.operations import Call, operations
from mturk_local.workers import worker_create
from tests.mturk_local.conftest import QUESTION, TYPE
from tests.mturk_local.test_qualifications import KEY, TEST, requirement

NAME, PASSWORD = "ada", "correct horse"


def worker_signed_in(client: Client) -> Worker:
    """An annotator with an account, whose session `client` has from now on."""
    worker = worker_create(entry_channel=EntryChannel.ACCOUNT, username=NAME, password=PASSWORD)
    client.post(reverse("crowd-sign-in"), {"username": NAME, "password": PASSWORD})
    return worker


def offered_to(client: Client) -> list[str]:
    """The pages of the worker who is signed in, with HITs to look at, in hand and handed in."""
    requester = Requester.objects.create(name="lab")

    def ask(operation: str, **params: Any) -> Any:
        return operations()[operation].carry(Call(requester, params, datetime.now(UTC)))

    kinds = [
        ask(
            "CreateQualificationType",
            Name=name,
            Description="Knows the categories.",
            QualificationTypeStatus="Active",
            **test,
        )["QualificationType"]["QualificationTypeId"]
        for name, test in (
            ("trained", {}),
            ("tested", {"Test": TEST, "AnswerKey": KEY, "TestDurationInSeconds": 600}),
        )
    ]
    terms = {**TYPE, "Question": QUESTION, "LifetimeInSeconds": 3600, "MaxAssignments": 5}
    done, held, free = (ask("CreateHIT", **terms)["HIT"]["HITId"] for _ in range(3))
    closed = ask("CreateHIT", **terms, QualificationRequirements=requirement(kinds[0]))["HIT"]
    for hit in (done, held):
        client.post(reverse("crowd-accept", args=[hit]))
    handed_in, in_hand = Assignment.objects.order_by("pk")
    assignment_submit(assignment=handed_in, answer="<x/>", now=datetime.now(UTC))
    test = client.post(reverse("crowd-ask", args=[kinds[1]]))["Location"]
    panel = Panel.objects.create(slug="panel", provider="Panel", completion_code="C0DE")
    group = HITType.objects.filter(hits__hit_id=free)[0].hit_group_id
    return [
        reverse("crowd-home"),
        reverse("crowd-work"),
        reverse("crowd-answered", args=[handed_in.assignment_id]),
        reverse("crowd-withdraw", args=[handed_in.assignment_id]),
        reverse("crowd-withdraw-all"),
        reverse("crowd-erase"),
        reverse("crowd-write", args=[in_hand.assignment_id]),
        reverse("crowd-hit", args=[free]),
        reverse("crowd-hit", args=[closed["HITId"]]),
        reverse("crowd-assignment", args=[in_hand.assignment_id]),
        reverse("crowd-assignment", args=[handed_in.assignment_id]),
        *(reverse("crowd-qualification", args=[kind]) for kind in kinds),
        test,
        reverse("crowd-group", args=[group]),
        reverse("crowd-group", args=["none"]),
        reverse("crowd-preview", query={"groupId": group}),
        # From here on the worker is a participant of the panel.
        reverse("crowd-panel", args=[panel.slug], query={"PROLIFIC_PID": "p"}),
        reverse("crowd-my-visit"),
        reverse("crowd-leave-my-visit"),
    ]
