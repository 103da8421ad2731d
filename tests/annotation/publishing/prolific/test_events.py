"""What Prolific tells by itself: heard once, never believed, read at once, and caught up with."""

import json
import os
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.batches.operations.prolific.read_study import READ_STUDY
from annotation.jobs.execution import run_job
from annotation.models import (
    Batch,
    ProlificEvent,
    ProlificStudy,
    ProlificSubmission,
    ProlificWorkspace,
    Task,
)
from annotation.overview.operations.schedule import recruiting_schedule
from annotation.prolific.double.hooks import Event
from annotation.prolific.double.market import Market
from annotation.prolific.events import signature
from annotation.prolific.tokens import seal
from annotation.vocabulary import TaskKind, TaskState
from mturk_local.models import Assignment, AssignmentState
from tests.annotation.prolific.conftest import TOKEN
from tests.annotation.prolific.hostile_events import TIMES
from tests.annotation.prolific.hostility import Hostility
from tests.annotation.publishing.prolific.conftest import study_of
from tests.mturk_local.conftest import Guest
from tests.performing import do
from tests.site.workers.profiles import wait_until

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def told(recruiting: Batch, market: Market, settings: Settings) -> Batch:
    """A batch whose market tells us what happens: the tests carry its messages."""
    market.hooks.stop()
    settings.SITE_ADDRESS = "http://127.0.0.1"
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    Task.objects.all().delete()
    return recruiting


def post(market: Market, body: bytes, headers: dict[str, str], workspace: str = "") -> int:
    """The status of the answer."""
    at = reverse("prolific-event", args=[workspace or market.workspace_id])
    return Client().post(at, body, content_type="application/json", headers=headers).status_code


def carry(market: Market, event: Event) -> int:
    return post(market, *market.hooks.message(event))


def events(market: Market) -> list[Event]:
    """All that were sent, the newest last."""
    found = [one for sub in market.hooks.subscriptions.values() for one in sub.events]
    return sorted(found, key=lambda one: one.event_id)


def arrive(market: Market, number: int = 1) -> Any:
    (study,) = market.studies.values()
    visit = market.arrive(study.study_id, f"{number:024x}")
    assert visit is not None
    return visit


def work() -> None:
    while run_job() is not None:
        pass


def was_read(batch: Batch, ago: timedelta) -> None:
    """As if the study was read that long ago."""
    at = timezone.now() - ago
    kind, state = TaskKind.READ_PROLIFIC, TaskState.DONE
    Task.objects.create(kind=kind, batch=batch, state=state, actor="test", finished_at=at)
    Task.objects.update(created_at=at)


def test_storing_the_token_asks_to_be_told_and_keeps_the_secret_to_itself(
    told: Batch, market: Market
) -> None:
    assert {one.event_type for one in market.hooks.subscriptions.values() if one.is_enabled} == {
        "submission.status.change",
        "study.status.change",
    }
    stored = ProlificWorkspace.objects.get().hook_secret
    assert stored
    assert market.hooks.secret not in stored
    secret, there = market.hooks.secret, set(market.hooks.subscriptions)
    do(CONNECT_PROLIFIC, told, token=TOKEN)
    # Others may depend on the secret, and nobody is told twice.
    assert (market.hooks.secret, set(market.hooks.subscriptions)) == (secret, there)


def test_an_event_is_read_of_and_gives_the_place_back(
    told: Batch, market: Market, crowd: str
) -> None:
    visit = arrive(market)
    guest = Guest(crowd.removesuffix("/mturk/"))
    guest.browser.open(visit.url)
    hit = told.hits.order_by("index").first()
    assert hit is not None
    guest.accept(str(hit.hit_id))
    assert carry(market, events(market)[-1]) == 200
    work()
    assert ProlificSubmission.objects.get().status == "ACTIVE"
    market.leave(visit.submission.submission_id, "RETURNED")
    assert carry(market, events(market)[-1]) == 200
    work()
    assert ProlificSubmission.objects.get().status == "RETURNED"
    assert Assignment.objects.get().state == AssignmentState.RETURNED
    assert not ProlificEvent.objects.filter(worked_off_at=None).exists()


def test_what_an_event_says_is_not_believed(told: Batch, market: Market) -> None:
    visit = arrive(market)
    (event,) = events(market)
    event.payload |= {"status": "APPROVED", "participant_id": "f" * 24}
    assert carry(market, event) == 200
    work()
    assert ProlificSubmission.objects.get().status == visit.submission.status == "ACTIVE"


def test_an_event_that_comes_twice_is_heard_once(told: Batch, market: Market) -> None:
    arrive(market)
    (event,) = events(market)
    assert [carry(market, event) for _ in range(3)] == [200] * 3
    assert ProlificEvent.objects.count() == Task.objects.count() == 1


def test_messages_that_are_not_prolifics_are_refused(told: Batch, market: Market) -> None:
    arrive(market)
    (event,) = events(market)
    body, headers = market.hooks.message(event)
    of_old = str(int((timezone.now() - timedelta(minutes=6)).timestamp()))
    old = {
        "X-Prolific-Request-Timestamp": of_old,
        "X-Prolific-Request-Signature": signature(market.hooks.secret, of_old, body),
    }
    forged = {"X-Prolific-Request-Signature": signature("guessed", "1", body)}
    respaced = json.dumps(json.loads(body), indent=1).encode()
    for sent, changed in (
        (body, forged),
        (body, {"X-Prolific-Request-Signature": ""}),
        (body, {"X-Prolific-Request-Timestamp": "now"}),
        (respaced, {}),
        (body, old),
    ):
        assert post(market, sent, headers | changed) == 403
    assert not ProlificEvent.objects.exists()
    assert Client().get(reverse("prolific-event", args=[market.workspace_id])).status_code == 405
    assert post(market, body, headers, workspace="0" * 24) == 403
    # What is known may come again late: nobody has to send it once more.
    assert post(market, body, headers) == 200
    assert post(market, body, headers | old) == 200
    assert ProlificEvent.objects.count() == 1


@pytest.mark.parametrize(
    "said",
    [
        *(b"", b"[]", b'{"event_type":"x"}', b'{"event_type":"x","resource_id":"../me"}', b"\xff"),
        b'{"event_type":"\\ud800","resource_id":"' + b"a" * 24 + b'"}',
        b'{"event_type":"\\u0000","resource_id":"' + b"a" * 24 + b'"}',
    ],
)
def test_a_genuine_message_that_says_nothing_changes_nothing(
    told: Batch, market: Market, said: bytes
) -> None:
    arrive(market)
    (event,) = events(market)
    _, headers = market.hooks.message(event)
    timestamp = headers["X-Prolific-Request-Timestamp"]
    headers["X-Prolific-Request-Signature"] = signature(market.hooks.secret, timestamp, said)
    assert post(market, said, headers) == 400
    assert not ProlificEvent.objects.exists()


@pytest.mark.parametrize(
    "written", ["0001-01-01T00:00:00+14:00", "0001-01-01", "9999-12-31T23:59:59-14:00"]
)
def test_a_moment_that_no_database_takes_is_that_of_the_signature(
    told: Batch, market: Market, written: str
) -> None:
    """`X-Timestamp` is not signed: whoever passes a message on may write anything there."""
    arrive(market)
    (event,) = events(market)
    body, headers = market.hooks.message(event)
    assert post(market, body, headers | {"X-Timestamp": written}) == 200
    signed_at = ProlificEvent.objects.get().sent_at
    assert abs(signed_at - timezone.now()) < timedelta(minutes=5)


def test_events_that_never_arrived_are_found_in_prolifics_list(told: Batch, market: Market) -> None:
    arrive(market)
    day_off = timezone.now() - timedelta(hours=23)
    ProlificWorkspace.objects.update(caught_up_at=day_off)
    was_read(told, timedelta(hours=23))
    assert len(recruiting_schedule()) == 1
    work()
    event = ProlificEvent.objects.get()
    assert event.worked_off_at is not None
    assert ProlificSubmission.objects.get().status == "ACTIVE"
    caught_up_at = ProlificWorkspace.objects.get().caught_up_at
    assert caught_up_at is not None
    assert caught_up_at > day_off
    assert not recruiting_schedule()


def test_without_a_public_address_the_clock_reads(
    recruiting: Batch, market: Market, settings: Settings
) -> None:
    arrive(market)
    assert not market.hooks.subscriptions
    Task.objects.all().delete()
    assert len(recruiting_schedule()) == 1
    work()
    assert ProlificSubmission.objects.count() == 1
    assert not recruiting_schedule()
    Task.objects.update(created_at=timezone.now() - timedelta(minutes=3))
    assert len(recruiting_schedule()) == 1
    Task.objects.filter(state=TaskState.QUEUED).update(
        state=TaskState.FAILED, finished_at=timezone.now()
    )
    assert not recruiting_schedule()  # a person has to look, and the log is not filled
    settings.PROLIFIC_EVERY_SECONDS = 0
    Task.objects.all().delete()
    assert not recruiting_schedule()


@pytest.mark.long
def test_without_a_worker_it_is_read_when_the_page_is_opened(
    recruiting: Batch, market: Market, settings: Settings
) -> None:
    settings.OPEN = False
    client = Client()
    client.force_login(User.objects.create_user("ada", is_staff=True))
    page = reverse("batch-prolific", args=[recruiting.pk])
    arrive(market)
    client.get(page)
    assert not ProlificSubmission.objects.exists()  # somebody may still be at it
    ProlificStudy.objects.update(read_at=timezone.now() - timedelta(minutes=11))
    assert "active" in client.get(page).content.decode()
    assert ProlificSubmission.objects.count() == 1
    ProlificStudy.objects.update(read_at=timezone.now() - timedelta(minutes=11))
    ProlificWorkspace.objects.update(token=seal("revoked"))
    assert "new token" in client.get(page).content.decode()


def test_a_study_that_is_over_is_read_seldom(told: Batch, market: Market) -> None:
    do(READ_STUDY, told)
    was_read(told, timedelta(minutes=5))
    assert not recruiting_schedule()
    Task.objects.update(created_at=timezone.now() - timedelta(hours=2))
    assert len(recruiting_schedule()) == 1


def test_the_market_sends_them_by_itself(
    recruiting: Batch, market: Market, settings: Settings, live_server: LiveServer
) -> None:
    settings.SITE_ADDRESS = live_server.url
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    arrive(market)
    (event,) = events(market)
    wait_until(lambda: event.status != "PENDING", seconds=60, what="the event is sent")
    assert event.status == "SUCCEEDED"
    assert ProlificEvent.objects.get().event_id == event.event_id


@pytest.mark.long
def test_hostile_events_are_all_seen_through(told: Batch, market: Market) -> None:
    found = Hostility(market, study_of(told), seed=1).play(150)
    assert found.wrong == []
    assert found.sent >= 150


@pytest.mark.long
@pytest.mark.skipif(TIMES not in os.environ, reason="python -m tests...hostile_events asks for it")
def test_as_many_as_asked_for(told: Batch, market: Market) -> None:
    found = Hostility(market, study_of(told), seed=2).play(int(os.environ[TIMES]))
    print(json.dumps(found.told()))  # noqa: T201
    assert found.wrong == []
