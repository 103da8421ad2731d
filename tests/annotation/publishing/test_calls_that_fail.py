"""However a call to the crowd, a model or a mail server fails: nothing stored is lost by it."""

import gc
from collections.abc import Iterator
from contextlib import suppress
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from pytest_django import Settings

from annotation.accounts.operations.permits import set_permits
from annotation.batches.operations import asking
from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.ask_model import ASK_MODEL
from annotation.batches.operations.collect import COLLECT
from annotation.batches.operations.extend import EXTEND
from annotation.batches.operations.inviting.account import INVITE_ACCOUNT
from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.batches.operations.inviting.panel import INVITE_PANEL
from annotation.batches.operations.notices import mail_refused_events
from annotation.batches.operations.publish import PUBLISH
from annotation.batches.operations.refresh import REFRESH
from annotation.batches.operations.stop import STOP
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.operations import Actor
from annotation.core.perform import estimate, perform_here, queue_job
from annotation.crowd import client
from annotation.jobs.execution import run_job
from annotation.language_models.double import ModelDouble, serving
from annotation.models import Batch, Membership, ModelLabel, ModelRater, Notice
from annotation.overview.queries.invariants import broken_invariants
from annotation.vocabulary import Permit, Role, TaskKind, TaskState
from annotation.workers.operations.exclude import SEND_EXCLUSIONS
from metrics.errors import InputError
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.panels import Come
from tests.failing import FAILURES, failing, stored_cells
from tests.performing import do

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
    pytest.mark.long,
]


@pytest.fixture(params=FAILURES)
def port(request: pytest.FixtureRequest) -> Iterator[int]:
    with failing(request.param) as number:
        yield number


def agree_and_do(operation: Any, batch: Batch, values: dict[str, Any]) -> None:
    actor = Actor("test")
    agreed = estimate(operation, batch, values, actor).cost if operation.spends else None
    perform_here(operation, batch, values, actor, agreed)


ACTS: list[tuple[Any, dict[str, Any]]] = [
    (PUBLISH, {}),
    (INVITE_LINK, {"places": 2}),
    (INVITE_ACCOUNT, {"username": "dan", "password": "a long pass phrase"}),
    (INVITE_PANEL, {}),
    (COLLECT, {"approve": False}),
    (REFRESH, {}),
    (APPROVE, {}),
    (TOP_UP, {"assignments": 9}),
    (EXTEND, {"days": 9}),
    (SEND_EXCLUSIONS, {}),
    (STOP, {}),
]


# boto3 leaves the socket of a redirect to no address to the garbage collector.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_a_crowd_that_fails_loses_nothing_and_each_act_is_done_in_the_end(
    make_batch: MakeBatch,
    come: Come,
    port: int,
    settings: Settings,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(client, "_SECONDS_BEFORE_REPEATING", (0.01,))
    works, fails = settings.MTURK_LOCAL_ENDPOINT, f"http://127.0.0.1:{port}/mturk/"
    patience = settings.MTURK_TIMEOUT_SECONDS
    batch = make_batch(2)
    for operation, values in ACTS:
        before = stored_cells()
        settings.MTURK_LOCAL_ENDPOINT, settings.MTURK_TIMEOUT_SECONDS = fails, 0.5
        with suppress(InputError):
            agree_and_do(operation, batch, values)
        assert before.keys() - stored_cells().keys() == set(), operation.name
        settings.MTURK_LOCAL_ENDPOINT, settings.MTURK_TIMEOUT_SECONDS = works, patience
        batch.refresh_from_db()
        agree_and_do(operation, batch, values)
        batch.refresh_from_db()
        if operation is INVITE_PANEL:
            come(batch, "p1")
    assert batch.hits.get().assignments.count() == 1
    assert broken_invariants() == {}
    gc.collect()


def test_a_model_that_fails_takes_no_answer_that_is_there(
    make_batch: MakeBatch, port: int, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(asking, "_FIRST_PAUSE", 0.01)
    settings.MODEL_TIMEOUT_SECONDS = 0.3
    batch, address = make_batch(12), f"http://127.0.0.1:{port}"
    with serving(ModelDouble()) as works:
        settings.MODEL_KEYS = {works: "", address: "a key"}
        do(ASK_MODEL, batch, address=works, model="double", trial=True)
        before = stored_cells()
        with pytest.raises(InputError):
            do(ASK_MODEL, batch, address=address, model="double")
        after = stored_cells()
        rater = ModelRater.objects.get()
        assert {cell: after.get(cell) for cell in before} == before
        assert ModelLabel.objects.count() == 10
        do(ASK_MODEL, batch, address=works, model="double")
    assert ModelRater.objects.get() == rater
    assert ModelLabel.objects.count() == 12


def test_a_mail_server_that_fails_hurts_no_job_and_the_next_one_sends(
    make_batch: MakeBatch, port: int, settings: Settings
) -> None:
    batch = make_batch(2)
    ada = User.objects.create_user("ada", "ada@example.org")
    set_permits(user=ada, permits=Permit.values, actor="test")
    Membership.objects.create(study=batch.study, user=ada, role=Role.OWNER)
    settings.EMAIL_HOST, settings.EMAIL_PORT, settings.EMAIL_TIMEOUT = "127.0.0.1", port, 0.5
    settings.EMAIL_USE_TLS, works = False, settings.EMAIL_BACKEND
    settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
    before = stored_cells()
    mail_refused_events(batches=[batch], n=1, is_mended=False)
    for is_sent in (False, True):
        queue_job(kind=TaskKind.EXPIRE, subject=batch, actor="test", arguments={})
        ended = run_job()
        assert ended is not None
        assert ended.state == TaskState.DONE
        assert Notice.objects.exists() == is_sent
        assert before.keys() - stored_cells().keys() == set()
        settings.EMAIL_BACKEND = works
    assert len(mail.outbox) == 1
