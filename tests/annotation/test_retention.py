"""What is old goes by itself; what is young, or not paid, stays."""

import os
import time
from collections.abc import Callable
from datetime import timedelta
from pathlib import Path

import pytest
from axes.models import AccessAttempt
from django.contrib.auth.models import User
from django.contrib.sessions.models import Session
from django.test import Client
from django.utils import timezone
from knox.models import AuthToken
from pytest_django import Settings

from annotation.core.operations import Actor, NotPermittedError, Result
from annotation.core.perform import perform
from annotation.jobs.messages import chore_do
from annotation.models import HIT, Assignment, Batch, Vote, Worker
from annotation.overview.operations.retention import APPLY_RETENTION, retention_apply
from tests.commands import run_json
from tests.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db

LONG_AGO = timezone.now() - timedelta(days=100)


@pytest.fixture
def batch() -> Batch:
    """Of a hundred days ago, answered and paid by two people and a simulated worker."""
    batch = with_votes(stored_batch(stored_pool(4)))
    Batch.objects.update(created_at=LONG_AGO)
    HIT.objects.update(expires_at=LONG_AGO)
    Assignment.objects.update(state="Approved", submitted_at=LONG_AGO)
    return batch


def forgotten() -> int:
    return Worker.objects.filter(is_erased=True).count()


def test_workers_are_forgotten_after_the_days_that_the_settings_say(
    batch: Batch, settings: Settings
) -> None:
    chore_do("delete what is old")
    assert forgotten() == 0
    settings.RETENTION_DAYS = 101
    chore_do("delete what is old")
    assert forgotten() == 0
    votes = Vote.objects.count()
    settings.RETENTION_DAYS = 99
    chore_do("delete what is old")
    assert forgotten() == 2
    assert Worker.objects.filter(is_erased=False).get().kind == "simulated"
    assert Vote.objects.count() == votes
    assert run_json("site", "apply-retention", "--days", "1")["workers"] == 0


@pytest.mark.parametrize(
    "still_alive",
    [
        lambda: Batch.objects.update(created_at=timezone.now()),
        lambda: HIT.objects.filter(index=0).update(expires_at=timezone.now()),
        lambda: Assignment.objects.filter(hit__index=0).update(submitted_at=timezone.now()),
    ],
    ids=["a new batch", "offered", "answered"],
)
def test_nobody_is_forgotten_while_a_batch_lives(
    batch: Batch, still_alive: Callable[[], object]
) -> None:
    still_alive()
    assert retention_apply(days=30).workers == 0


def test_who_waits_for_pay_waits(batch: Batch) -> None:
    worker = Worker.objects.filter(kind="human").earliest("pk")
    Assignment.objects.filter(worker=worker).update(state="Submitted")
    cleared = retention_apply(days=30)
    assert (cleared.workers, cleared.waiting) == (1, 1)
    worker.refresh_from_db()


def test_a_dry_run_says_how_much_is_old_and_deletes_nothing(batch: Batch) -> None:
    facts = dict(run_json("site", "apply-retention", "--days", "30", "--dry-run")["facts"])
    assert "2" in facts.values()
    assert forgotten() == 0


def test_only_staff_may_delete_what_is_old() -> None:
    with pytest.raises(NotPermittedError):
        perform(APPLY_RETENTION, None, {}, Actor("ada", User.objects.create_user("ada")))
    staff = User.objects.create_user("lab", is_staff=True)
    done = perform(APPLY_RETENTION, None, {}, Actor("lab", staff))
    assert isinstance(done, Result)


def test_what_has_run_out_goes(db: None, settings: Settings, tmp_path: Path) -> None:
    settings.FILE_UPLOAD_TEMP_DIR = tmp_path  # of this test: others tidy up the common one
    client = Client()
    for name in ("ada", "bob"):
        client.post("/sign-in/", {"username": name, "password": "wrong"})
    user = User.objects.create_user("ada")
    for expires in (timedelta(days=-1), timedelta(days=1)):
        AuthToken.objects.create(user, expiry=expires)
        client = Client()
        client.force_login(user)
        Session.objects.filter(pk=client.session.session_key).update(
            expire_date=timezone.now() + expires
        )
    # Every sign-in tidies up as well; after the last of them, nobody does.
    AccessAttempt.objects.filter(pk=AccessAttempt.objects.earliest("pk").pk).update(
        attempt_time=timezone.now() - timedelta(minutes=16)
    )
    old, new = tmp_path / "old.upload", tmp_path / "new.upload"
    for path in (old, new):
        path.write_text("x")
    os.utime(old, (time.time() - 2 * 86_400,) * 2)
    cleared = run_json("site", "apply-retention")
    new.unlink()
    assert not old.exists()
    assert cleared == {
        "workers": 0, "waiting": 0, "sign_ins": 1, "sessions": 1, "tokens": 1, "uploads": 1,
        "removed": 0,
    }  # fmt: skip
    assert AccessAttempt.objects.count() == AuthToken.objects.count() == 1
    assert Session.objects.count() == 1
