"""What members hear by e-mail about a batch: once for each event, from jobs alone."""

import socketserver
import threading
from collections.abc import Iterator
from decimal import Decimal
from email import message_from_bytes
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core import mail
from django.test import Client
from django.urls import reverse
from pytest_django import Settings

from annotation.accounts.operations.erase_account import erase_account
from annotation.accounts.operations.permits import set_permits
from annotation.batches.operations.adaptive_policy import adaptive_begin
from annotation.batches.operations.notices import EVENTS
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.core.perform import queue_job
from annotation.jobs.execution import run_job
from annotation.models import HIT, Assignment, Batch, Membership, Notice, Worker
from annotation.vocabulary import BatchState, Permit, Role, TaskKind, TaskState
from tests.annotation.publishing.conftest import MakeBatch
from tests.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


@pytest.fixture(autouse=True)
def _server_is_set(settings: Settings) -> None:
    settings.EMAIL_HOST = "127.0.0.1"
    settings.EMAIL_USE_TLS = False
    settings.SITE_ADDRESS = "https://fairpool.example.org"


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    """A draft of one HIT; owner and viewer of its study have addresses, a second owner has none."""
    batch = make_batch(2, assignments_per_hit=1)
    for name, role in (("ada", Role.OWNER), ("bob", Role.OWNER), ("eve", Role.VIEWER)):
        email = "" if name == "bob" else f"{name}@example.org"
        user = User.objects.create_user(name, email)
        set_permits(user=user, permits=Permit.values, actor="test")
        Membership.objects.create(study=batch.study, user=user, role=role)
    return batch


def job(batch: Batch, kind: str, **arguments: object) -> str:
    """The state in which a job about the batch ended."""
    queue_job(kind=kind, subject=batch, actor="test", arguments=arguments)
    ended = run_job()
    assert ended is not None
    return ended.state


def answer(batch: Batch) -> None:
    worker = Worker.objects.create(environment="local", worker_id="A1")
    Assignment.objects.create(
        hit=HIT.objects.get(batch=batch), worker=worker, assignment_id="X", state="Submitted"
    )


def test_who_may_publish_hears_once_that_a_batch_is_finished(batch: Batch) -> None:
    job(batch, TaskKind.PUBLISH)
    job(batch, TaskKind.COLLECT)
    assert not mail.outbox
    answer(batch)
    for _again in range(2):
        job(batch, TaskKind.COLLECT)
    [sent] = mail.outbox
    assert (sent.recipients(), sent.to) == (["ada@example.org"], [])
    assert batch.name in sent.subject
    assert f"https://fairpool.example.org{reverse('batch-labels', args=[batch.pk])}" in sent.body


def test_a_round_that_is_due_is_told_in_place_of_labels(batch: Batch) -> None:
    job(batch, TaskKind.PUBLISH)
    Batch.objects.update(assignments_per_hit=2)
    adaptive_begin(
        batch=Batch.objects.get(pk=batch.pk), actor="test", terms=AdaptiveParameters(full_share=0)
    )
    answer(batch)  # the only one that its HIT asks for, without votes
    job(batch, TaskKind.COLLECT)
    [sent] = mail.outbox
    assert sent.subject == f"Fairpool: {batch.name} is due for a new round"
    assert "Next: ask the next round." in sent.body
    assert reverse("batch-act", args=[batch.pk, "round"]) in sent.body
    assert "finished" not in sent.body
    longest: Any = Notice._meta.get_field("event").max_length
    assert max(len(event.name) for event in EVENTS) <= longest


def test_a_finished_batch_that_lacks_answers_is_told_to_request_them(batch: Batch) -> None:
    job(batch, TaskKind.PUBLISH)
    answer(batch)
    Assignment.objects.update(state="Rejected")
    job(batch, TaskKind.COLLECT)
    [sent] = mail.outbox
    assert "Next: request what is missing, or decide its labels without." in sent.body


def test_what_goes_on_and_is_stopped_again_is_told_again(batch: Batch) -> None:
    job(batch, TaskKind.PUBLISH)
    for kind in (TaskKind.EXPIRE, TaskKind.EXPIRE):
        job(batch, kind)
    assert [sent.subject for sent in mail.outbox] == [f"Fairpool: {batch.name} is stopped"]
    job(batch, TaskKind.EXTEND, until="2026-12-24T18:00:00Z")
    assert not Notice.objects.exists()
    job(batch, TaskKind.EXPIRE)
    assert len(mail.outbox) == 2


def test_hits_that_the_budget_has_no_room_for_are_told(batch: Batch) -> None:
    Batch.objects.update(state=BatchState.PUBLISHING, budget=Decimal("0.01"))
    assert job(batch, TaskKind.PUBLISH) == TaskState.FAILED
    [sent] = mail.outbox
    assert reverse("batch-act", args=[batch.pk, "budget"]) in sent.body


def test_without_a_mail_server_nothing_is_sent_then_or_later(
    batch: Batch, settings: Settings
) -> None:
    settings.EMAIL_HOST = ""
    job(batch, TaskKind.EXPIRE)
    settings.EMAIL_HOST = "127.0.0.1"
    job(batch, TaskKind.EXPIRE)
    assert not mail.outbox


class MailServer(socketserver.ThreadingTCPServer):
    """A server of SMTP on this machine; it takes mail unless it `refuses` every recipient."""

    daemon_threads = allow_reuse_address = True
    refuses = True

    def __init__(self) -> None:
        self.taken: list[tuple[list[str], bytes]] = []
        super().__init__(("127.0.0.1", free_port()), _Conversation)


class _Conversation(socketserver.StreamRequestHandler):
    server: MailServer

    def handle(self) -> None:
        self.wfile.write(b"220 here\r\n")
        recipients: list[str] = []
        while line := self.rfile.readline().decode().strip():
            verb = line[:4].upper()
            if verb == "RCPT" and self.server.refuses:
                self.wfile.write(b"550 nobody here\r\n")
                continue
            if verb == "RCPT":
                recipients.append(line.partition("<")[2].partition(">")[0])
            if verb == "DATA":
                self.wfile.write(b"354 go on\r\n")
                lines = iter(self.rfile.readline, b".\r\n")
                self.server.taken.append((recipients, b"".join(lines)))
            self.wfile.write(b"221 bye\r\n" if verb == "QUIT" else b"250 yes\r\n")


@pytest.fixture
def mail_server(settings: Settings) -> Iterator[MailServer]:
    with MailServer() as server:
        threading.Thread(target=server.serve_forever, args=(0.01,), daemon=True).start()
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_PORT = server.server_address[1]
        yield server
        server.shutdown()


def test_a_server_that_refuses_hurts_no_job_and_the_next_one_tries_again(
    batch: Batch, mail_server: MailServer, capsys: pytest.CaptureFixture[str]
) -> None:
    assert job(batch, TaskKind.EXPIRE) == TaskState.DONE
    assert not Notice.objects.exists()
    mail_server.refuses = False
    for _again in range(2):
        assert job(batch, TaskKind.EXPIRE) == TaskState.DONE
    [(recipients, message)] = mail_server.taken
    assert recipients == ["ada@example.org"]
    assert "ada@example.org" not in str(message_from_bytes(message))
    assert "ada@example.org" not in "".join(capsys.readouterr())


def test_people_give_their_own_address_and_take_it_away(client: Client) -> None:
    ada, bob = (User.objects.create_user(name, f"{name}@example.org") for name in ("ada", "bob"))
    client.force_login(ada)
    for sent, stored in (("new@example.org", "new@example.org"), ("nothing", "new@example.org")):
        client.post(reverse("email-set"), {"email": sent})
        ada.refresh_from_db()
        assert ada.email == stored
    page = client.get(reverse("account")).content.decode()
    assert 'value="new@example.org"' in page
    client.post(reverse("email-set"), {"email": ""})
    ada.refresh_from_db()
    bob.refresh_from_db()
    assert (ada.email, bob.email) == ("", "bob@example.org")
    erase_account(user=bob)
    assert not User.objects.filter(email="bob@example.org").exists()
