"""Passwords guessed at the same moment: no more are tried than one after another."""

from collections.abc import Callable
from typing import Any

import pytest
from django.contrib.auth.hashers import MD5PasswordHasher
from django.contrib.auth.models import User
from django.db import connections
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from mturk_local.models import EntryChannel, Worker
from mturk_local.site import sign_in
from mturk_local.workers import worker_create
from tests.site.test_concurrency import at_once

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

AT_ONCE, LIMIT = 24, 10
PASSWORD = "a long one for a person"
tried: list[str] = []


class Counting(MD5PasswordHasher):
    """Remembers which passwords were looked at."""

    def verify(self, password: str, encoded: str) -> bool:
        tried.append(password)
        return super().verify(password, encoded)


@pytest.fixture(autouse=True)
def _counting(settings: Settings) -> None:
    settings.OPEN = False
    settings.PASSWORD_HASHERS = [f"{__name__}.Counting"]
    tried.clear()


def guess(address: str, name: str) -> Callable[[], int]:
    def act() -> int:
        sent = {"username": name, "password": "wrong"}
        try:
            return int(Client().post(address, sent).status_code)
        finally:
            connections.close_all()

    return act


def test_of_many_guesses_at_once_as_many_are_tried_as_one_after_another() -> None:
    User.objects.create_user("bob", password=PASSWORD)
    replies = at_once([guess(reverse("sign-in"), "bob")] * AT_ONCE)
    assert len(tried) == LIMIT
    assert set(replies) == {200, 429}
    right = {"username": "bob", "password": PASSWORD}
    assert Client().post(reverse("sign-in"), right).status_code == 429
    assert Client(REMOTE_ADDR="192.0.2.7").post(reverse("sign-in"), right).status_code == 302


def test_the_crowd_service_counts_before_it_tries_too() -> None:
    worker_create(entry_channel=EntryChannel.ACCOUNT, username="bob", password=PASSWORD)
    at_once([guess(reverse("crowd-sign-in"), "bob")] * AT_ONCE)
    assert len(tried) == LIMIT
    assert Worker.objects.get().failed_sign_ins == LIMIT


def test_the_crowd_service_counts_what_an_address_guesses_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(sign_in, "_MOST_FAILURES", LIMIT)
    for number in range(AT_ONCE):
        worker_create(entry_channel=EntryChannel.ACCOUNT, username=f"w{number}", password=PASSWORD)
    acts = [guess(reverse("crowd-sign-in"), f"w{number}") for number in range(AT_ONCE)]
    replies = at_once(acts)
    assert len(tried) == LIMIT
    assert replies.count(429) == AT_ONCE - LIMIT


def test_right_passwords_are_no_guesses(
    settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sign_in, "_MOST_FAILURES", 3)
    settings.AXES_FAILURE_LIMIT = 3
    User.objects.create_user("bob", password=PASSWORD)
    worker_create(entry_channel=EntryChannel.ACCOUNT, username="bob", password=PASSWORD)
    sent: dict[str, Any] = {"username": "bob", "password": PASSWORD}
    for name in ("sign-in", "crowd-sign-in"):
        assert [Client().post(reverse(name), sent).status_code for _ in range(5)] == [302] * 5
