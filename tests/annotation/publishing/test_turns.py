"""Requests take turns at calling the crowd service, so that a thread is left to reply."""

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.batches.operations.publish import publish_batch
from annotation.crowd.connection import people_at_local_crowd
from annotation.crowd.errors import CrowdBusyError
from annotation.crowd.turns import PATIENCE, inside_request, turn
from tests.annotation.publishing.conftest import MakeBatch

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture
def held() -> Iterator[threading.Event]:
    """Another request has its turn until the event is set, or the test ends."""
    taken, free = threading.Event(), threading.Event()

    def hold() -> None:
        with inside_request(), turn():
            taken.set()
            free.wait(60)

    with ThreadPoolExecutor(1) as pool:
        pool.submit(hold)
        taken.wait(60)
        yield free
        free.set()


def call() -> str:
    """A request that makes one call."""
    with inside_request():
        try:
            with turn():
                return "sent"
        except CrowdBusyError:
            return "refused"


def test_requests_wait_for_their_turn_and_one_thread_does_not(
    held: threading.Event, settings: Settings
) -> None:
    settings.WEB_THREADS = 8
    with ThreadPoolExecutor(7) as pool:
        calls = [pool.submit(call) for _ in range(7)]
        # One calls and six wait; the seventh gives its thread back at once.
        while not any(one.done() for one in calls):
            time.sleep(0.01)
        held.set()
        assert sorted(one.result() for one in calls) == ["refused"] + ["sent"] * 6


def test_nobody_waits_for_long(held: threading.Event) -> None:
    began = time.monotonic()
    assert call() == "refused"
    assert time.monotonic() - began >= PATIENCE


def test_a_turn_ends_with_the_call_and_not_with_the_response() -> None:
    with inside_request():
        list(people_at_local_crowd().inquiries(annotation="batch-"))
        with ThreadPoolExecutor(1) as pool:
            assert pool.submit(call).result() == "sent"


@pytest.mark.long
def test_who_waits_in_vain_hears_that_others_wait_and_readers_do_not_wait(
    make_batch: MakeBatch, held: threading.Event, admin_user: User, admin_client: Client
) -> None:
    batch = make_batch()
    publish_batch(batch_id=batch.pk, actor="test")
    _, token = AuthToken.objects.create(admin_user)
    api = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    refused = api.post(f"/api/v1/batches/{batch.pk}/refresh/")
    assert refused.status_code == 503
    assert refused.json()["type"].endswith(":busy")
    assert refused["Retry-After"] == "2"
    assert "does not answer" not in refused.content.decode()
    assert api.get(f"/api/v1/batches/{batch.pk}/messages/").status_code == 200
    for name in ("batch-invite", "batch-messages", "batch-messages-waiting"):
        page = admin_client.get(reverse(name, args=[batch.pk]))
        assert page.status_code == 200
        assert 'role="alert"' not in page.content.decode()
