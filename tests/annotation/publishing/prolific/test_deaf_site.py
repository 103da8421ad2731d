"""A failing call to Prolific leaves the site hearing, and members learn of refused events."""

from collections.abc import Iterator
from datetime import timedelta

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.batches.operations.prolific.connect import CONNECT_PROLIFIC
from annotation.models import AuditEvent, Batch, Membership, ProlificEvent, ProlificWorkspace, Task
from annotation.overview.operations.schedule import recruiting_schedule
from annotation.prolific.double.market import Market
from annotation.prolific.events import signature
from annotation.prolific.tokens import seal, unseal
from annotation.vocabulary import AuditAction, Permit, Role
from metrics.errors import InputError
from tests.annotation.prolific.conftest import TOKEN
from tests.annotation.prolific.spoilt import AnsweringProxy
from tests.annotation.publishing.prolific.test_events import (
    arrive,
    carry,
    events,
    post,
    was_read,
    work,
)
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

_FAILED = (500, b"<html></html>")
#: Answers that tell nothing: a failure, a proxy's page, members that are missing or no text.
_USELESS = [
    (200, b"<html></html>"),
    (200, b"{}"),
    (200, b'{"results": [{"workspace_id": "WORKSPACE"}]}'),
    (200, b'{"results": [{"workspace_id": "WORKSPACE", "value": null}]}'),
    (200, b'{"results": [{"workspace_id": "WORKSPACE", "value": ""}]}'),
    (403, b'{"error": {"detail": "No."}}'),
]


@pytest.fixture
def proxy(recruiting: Batch, market: Market, settings: Settings) -> Iterator[AnsweringProxy]:
    """A batch whose site hears of its study, by a line on which a test answers."""
    proxy = AnsweringProxy(settings.PROLIFIC_ADDRESS)
    market.hooks.stop()
    settings.SITE_ADDRESS = "http://127.0.0.1"
    settings.PROLIFIC_ADDRESS = proxy.start()
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    Task.objects.all().delete()
    yield proxy
    proxy.stop()


def row() -> ProlificWorkspace:
    return ProlificWorkspace.objects.get()


@pytest.mark.parametrize("path", ["/hooks/secrets/", "/hooks/subscriptions/"])
@pytest.mark.parametrize(
    "reply", [_FAILED, *(pytest.param(reply, marks=pytest.mark.long) for reply in _USELESS)]
)
def test_connecting_while_a_call_fails_leaves_what_was_heard(
    proxy: AnsweringProxy,
    recruiting: Batch,
    market: Market,
    path: str,
    reply: tuple[int, bytes],
) -> None:
    before = unseal(row().hook_secret), row().is_told, row().caught_up_at
    status, body = reply[0], reply[1].replace(b"WORKSPACE", market.workspace_id.encode())
    proxy.answers[("GET", path)] = status, body
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    assert (unseal(row().hook_secret), row().is_told, row().caught_up_at) == before
    arrive(market)
    assert carry(market, events(market)[-1]) == 200


@pytest.mark.parametrize(
    "call", [("POST", "/hooks/subscriptions/"), ("DELETE", "/hooks/subscriptions/")]
)
def test_a_subscription_that_fails_leaves_the_secret_and_the_clock_reads(
    proxy: AnsweringProxy, recruiting: Batch, market: Market, call: tuple[str, str]
) -> None:
    secret = unseal(row().hook_secret)
    disabled = next(iter(market.hooks.subscriptions.values()))
    disabled.is_enabled = False
    proxy.answers[call] = _FAILED
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    assert unseal(row().hook_secret) == secret == market.hooks.secret
    assert not row().is_told
    was_read(recruiting, timedelta(minutes=3))
    assert len(recruiting_schedule()) == 1
    proxy.answers.clear()
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    assert row().is_told


def test_connecting_again_does_not_skip_what_was_missed(
    proxy: AnsweringProxy, recruiting: Batch
) -> None:
    day_off = timezone.now() - timedelta(hours=20)
    ProlificWorkspace.objects.update(caught_up_at=day_off)
    do(CONNECT_PROLIFIC, recruiting, token=TOKEN)
    assert row().caught_up_at == day_off


def test_a_token_that_does_not_work_leaves_the_one_that_does(
    proxy: AnsweringProxy, recruiting: Batch
) -> None:
    proxy.answers[("GET", "/balance/")] = _FAILED
    with pytest.raises(InputError):
        do(CONNECT_PROLIFIC, recruiting, token="another")
    assert unseal(row().token) == TOKEN


@pytest.mark.parametrize("stored", ["another secret", ""])
def test_a_refused_event_is_told_and_the_secret_read_again(
    proxy: AnsweringProxy, recruiting: Batch, market: Market, settings: Settings, stored: str
) -> None:
    settings.EMAIL_HOST = "127.0.0.1"
    owner = User.objects.create_user("ada", "ada@example.org")
    set_permits(user=owner, permits=Permit.values, actor="test")
    Membership.objects.create(study=recruiting.study, user=owner, role=Role.OWNER)
    ProlificWorkspace.objects.update(hook_secret=seal(stored) if stored else "")
    arrive(market)
    (event,) = events(market)
    assert [carry(market, event) for _ in range(3)] == [403] * 3
    assert row().n_refused == 3
    client = Client()
    client.force_login(owner)
    page = reverse("batch-prolific", args=[recruiting.pk])
    assert b"3 messages" in client.get(page).content
    assert Task.objects.count() == 1
    work()
    told = AuditEvent.objects.get(batch=recruiting, action=AuditAction.PROLIFIC_EVENTS_REFUSED)
    assert told.detail == {"n": 3, "secret": "renewed"}
    assert [message.bcc for message in mail.outbox] == [["ada@example.org"]]
    assert carry(market, event) == 200
    assert b"3 messages" not in client.get(page).content


def test_forgeries_are_told_once_a_day_and_change_no_secret(
    proxy: AnsweringProxy, recruiting: Batch, market: Market
) -> None:
    secret = unseal(row().hook_secret)
    arrive(market)
    (event,) = events(market)
    body, headers = market.hooks.message(event)
    forged = headers | {
        "X-Prolific-Request-Signature": signature(
            "guessed", headers["X-Prolific-Request-Timestamp"], body
        )
    }
    for _ in range(3):
        assert post(market, body, forged) == 403
        work()
        ProlificWorkspace.objects.update(refused_at=timezone.now() - timedelta(minutes=11))
    told = AuditEvent.objects.filter(action=AuditAction.PROLIFIC_EVENTS_REFUSED)
    assert [one.detail["secret"] for one in told] == ["unchanged"]
    assert unseal(row().hook_secret) == secret
    assert not ProlificEvent.objects.filter(worked_off_at=None).exists()


@pytest.mark.parametrize(
    "changed",
    [
        {"X-Prolific-Request-Signature": "AAAA"},
        {"X-Prolific-Request-Signature": "no base64 at all"},
        {"X-Prolific-Request-Timestamp": "1"},
        {"X-Event-ID": ""},
    ],
)
def test_what_is_not_formed_like_an_event_is_not_told(
    proxy: AnsweringProxy, market: Market, changed: dict[str, str]
) -> None:
    ProlificWorkspace.objects.update(hook_secret=seal("another secret"))
    arrive(market)
    (event,) = events(market)
    body, headers = market.hooks.message(event)
    assert post(market, body, headers | changed) == 403
    assert row().n_refused == 0


def test_a_key_of_the_site_that_changed_is_told_as_well(
    proxy: AnsweringProxy, market: Market
) -> None:
    ProlificWorkspace.objects.update(hook_secret="sealed with another key")
    arrive(market)
    assert carry(market, events(market)[-1]) == 403
    assert row().n_refused == 1
