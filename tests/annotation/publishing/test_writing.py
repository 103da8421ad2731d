"""Annotators write to the requester from their task, and the requester answers in the site."""

from datetime import UTC, datetime, timedelta

import pytest
import requests
import time_machine
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from knox.models import AuthToken
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.batches.operations.answer_inquiry import ANSWER_INQUIRY
from annotation.batches.operations.channels import batch_inquiries
from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.refresh import REFRESH, snapshots_take_due
from annotation.models import AuditEvent, Batch, Study
from metrics.errors import InputError
from mturk_local.lifecycle.inquiries import MOST_INQUIRIES
from mturk_local.models import Assignment, Inquiry, Worker
from mturk_local.workers import worker_erase
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.test_inviting import come
from tests.mturk_local.conftest import Guest
from tests.performing import do
from tests.ports import free_port

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
HOSTILE = "<script>alert(1)</script>\r\n\u202egnp.exe\x00 {{ 7*7 }}"


@pytest.fixture
def batch(make_batch: MakeBatch) -> Batch:
    batch = make_batch()
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    return batch


@pytest.fixture
def guest(batch: Batch) -> Guest:
    """Somebody with a HIT in hand."""
    guest = come(do(INVITE_LINK, batch).made.url)
    guest.browser.select_form('form[action$="/accept/"]')
    guest.browser.submit_selected()
    return guest


def write(guest: Guest, text: str) -> requests.Response:
    """Follow the link below the task, and send `text`."""
    link = guest.browser.page.select_one('a[href$="/write/"]')
    if link is not None:
        guest.browser.follow_link(link)
    guest.browser.select_form("main form")
    guest.browser["text"] = text
    sent: requests.Response = guest.browser.submit_selected()
    return sent


@pytest.mark.long
def test_a_message_is_answered_in_the_site_and_read_by_the_annotator(
    batch: Batch, guest: Guest, admin_client: Client
) -> None:
    write(guest, "Is a nurse a woman?")
    do(REFRESH, batch)
    address = reverse("batch-messages", args=[batch.pk])
    ((inquiry, form),) = admin_client.get(address).context["inquiries"]
    assert inquiry.text == "Is a nurse a woman?"
    assert form is not None
    fields = {"inquiry": inquiry.inquiry_id, "text": "Not by the word.", "then": "batch-messages"}
    admin_client.post(reverse("batch-message-answer", args=[batch.pk]), fields)
    ((answered, form),) = admin_client.get(address).context["inquiries"]
    assert (answered.answer, form) == ("Not by the word.", None)
    guest.browser.refresh()
    assert "Not by the word." in guest.browser.page.text
    # The log outlives the person: it has no text.
    events = AuditEvent.objects.filter(batch=batch, action="message answered")
    assert events.get().detail == {"inquiry": inquiry.inquiry_id}


def test_who_waits_is_counted_on_the_pages_of_batch_and_study(
    batch: Batch, guest: Guest, admin_client: Client
) -> None:
    study = Study.objects.create(name="of the batch")
    Batch.objects.filter(pk=batch.pk).update(study=study)
    tab = reverse("batch-messages-waiting", args=[batch.pk])
    notice = reverse("study-messages", args=[study.pk])
    assert tab in admin_client.get(reverse("batch-detail", args=[batch.pk])).content.decode()
    assert notice in admin_client.get(reverse("study-detail", args=[study.pk])).content.decode()
    assert admin_client.get(tab).context["n"] == 0
    write(guest, "Is a nurse a woman?")
    write(guest, "And a king?")
    do(REFRESH, batch)
    assert admin_client.get(tab).context["n"] == 2
    assert admin_client.get(notice).context["waiting"] == [(batch.pk, batch.name, 2)]
    for inquiry in batch_inquiries(batch):
        do(ANSWER_INQUIRY, batch, inquiry=inquiry.inquiry_id, text="By the words alone.")
    assert admin_client.get(tab).context["n"] == 0
    assert admin_client.get(notice).context["waiting"] == []


@pytest.mark.long
def test_a_crowd_service_that_is_away_leaves_the_pages_without_a_count(
    batch: Batch, admin_client: Client, settings: Settings
) -> None:
    settings.MTURK_LOCAL_ENDPOINT = f"http://127.0.0.1:{free_port()}/mturk/"
    settings.MTURK_TIMEOUT_SECONDS = 1
    snapshots_take_due()
    assert admin_client.get(reverse("batch-messages-waiting", args=[batch.pk])).context["n"] == 0


def test_messages_are_read_and_answered_by_programs(
    batch: Batch, guest: Guest, admin_user: User
) -> None:
    write(guest, "Is a nurse a woman?")
    _, token = AuthToken.objects.create(admin_user)
    api = APIClient(HTTP_AUTHORIZATION=f"Bearer {token}")
    address = f"/api/v1/batches/{batch.pk}/messages/"
    assert api.post(f"/api/v1/batches/{batch.pk}/refresh/").status_code == 204
    page = api.get(address).json()
    (message,) = page["results"]
    assert page["as_of"]
    assert (message["text"], message["answer"]) == ("Is a nurse a woman?", "")
    # Nothing of hers is collected yet: she has no name that may leave the site.
    assert (message["worker"], message["worker_number"]) == (None, None)
    assert message["hit_index"] in range(batch.hits.count())
    sent = {"inquiry": message["inquiry"], "text": "Not by the word."}
    assert api.post(f"{address}answer/", sent, format="json").status_code == 204
    (message,) = api.get(address).json()["results"]
    assert message["answer"] == "Not by the word."
    assert Worker.objects.get().worker_id not in api.get(address).content.decode()


def test_an_answer_is_given_once(batch: Batch, guest: Guest) -> None:
    write(guest, "Hello?")
    (inquiry,) = batch_inquiries(batch)
    do(ANSWER_INQUIRY, batch, inquiry=inquiry.inquiry_id, text="Hello.")
    do(ANSWER_INQUIRY, batch, inquiry=inquiry.inquiry_id, text="Hello.")
    with pytest.raises(InputError):
        do(ANSWER_INQUIRY, batch, inquiry=inquiry.inquiry_id, text="Go away.")
    assert Inquiry.objects.get().answer == "Hello."


def test_messages_come_by_themselves_and_no_more_often_than_is_of_use(
    batch: Batch, guest: Guest, admin_client: Client
) -> None:
    address = reverse("batch-messages", args=[batch.pk])
    write(guest, "Hello?")
    snapshots_take_due()
    assert admin_client.get(address).context["inquiries"] == []
    with time_machine.travel(datetime.now(UTC) + timedelta(minutes=1)):
        snapshots_take_due()
    ((inquiry, _form),) = admin_client.get(address).context["inquiries"]
    assert inquiry.text == "Hello?"


def test_hostile_text_is_shown_as_text(batch: Batch, guest: Guest, admin_client: Client) -> None:
    write(guest, HOSTILE)
    do(REFRESH, batch)
    stored = Inquiry.objects.get().text
    assert stored == "<script>alert(1)</script>\ngnp.exe {{ 7*7 }}"
    page = admin_client.get(reverse("batch-messages", args=[batch.pk])).content.decode()
    for shown in (page, str(guest.browser.page)):
        assert "<script>alert" not in shown
        assert "&lt;script&gt;" in shown


def test_messages_are_bounded_in_length_and_number(batch: Batch, guest: Guest) -> None:
    assert write(guest, "x" * (Inquiry.LONGEST + 1)).status_code == 409
    assert write(guest, " \n ").status_code == 409
    assert not Inquiry.objects.exists()
    assignment = Assignment.objects.select_related("worker", "hit").get()
    for number in range(MOST_INQUIRIES - 1):
        Inquiry.objects.create(
            requester=assignment.hit.requester,
            worker=assignment.worker,
            hit=assignment.hit,
            text=f"{number}",
            asked_at=assignment.accepted_at,
        )
    assert write(guest, "the last one").status_code == 200
    assert write(guest, "too many runs").status_code == 409
    # Pressed twice, it is the same message.
    assert write(guest, "the last one").status_code == 200
    assert Inquiry.objects.count() == MOST_INQUIRIES


def test_nobody_writes_about_what_somebody_else_does(batch: Batch, guest: Guest) -> None:
    other = come(do(INVITE_LINK, batch).made.url)
    theirs = Assignment.objects.get().assignment_id
    assert other.browser.get(guest.browser.url).status_code == 404
    assert theirs in guest.browser.url


def test_messages_go_with_the_person(batch: Batch, guest: Guest) -> None:
    write(guest, "I am Ada, of 3 Main Street.")
    Assignment.objects.update(state="Returned")
    worker_erase(worker=Worker.objects.get())
    assert batch_inquiries(batch) == []
    assert not Inquiry.objects.exists()


def test_there_are_no_messages_where_amazon_brings_the_workers(
    make_batch: MakeBatch, admin_client: Client
) -> None:
    batch = make_batch()
    Batch.objects.update(environment="sandbox", state="published")
    shown = admin_client.get(reverse("batch-messages", args=[batch.pk]))
    assert shown.status_code == 200
    assert "inquiries" not in shown.context
    with pytest.raises(InputError):
        do(ANSWER_INQUIRY, batch, inquiry="3X", text="Hello.")


def test_whoever_may_not_manage_reads_no_messages(
    batch: Batch, client: Client, settings: Settings
) -> None:
    settings.OPEN = False
    client.force_login(User.objects.create_user("eve"))
    assert client.get(reverse("batch-messages", args=[batch.pk])).status_code == 404
