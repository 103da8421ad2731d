"""Unreadable answers: seen as they came in, and read again."""

from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.test import Client
from django.urls import reverse
from pytest_django import Settings
from rest_framework.test import APIClient

from annotation.batches.operations.read_again import READ_AGAIN, read_meanings
from annotation.core.parameters import TermError
from annotation.labels.operations.decide import batch_label
from annotation.models import Assignment, AuditEvent, Batch, Label, Membership, Vote
from annotation.vocabulary import AuditAction, BatchState, Role
from tests.commands import run
from tests.performing import do
from tests.schemed import answer, fields_of, made, reject, submit
from tests.study import stored_pool

pytestmark = pytest.mark.django_db
HOSTILE = "</pre><script>alert(1)</script>"


@pytest.fixture
def batch() -> Batch:
    """A batch of four queries; A1 has answered, and A2 with a word that is not an option."""
    batch = made(stored_pool(4).belongs.study)
    answer(batch, "A1", ["no", "no", "yes", "skip"])
    fields = [
        (name, "Nope" if value == "no" else value)
        for name, value in fields_of(["no", "no", "yes", "skip"])
    ]
    assert submit(batch, "A2", fields).quarantined == 1
    Batch.objects.filter(pk=batch.pk).update(state=BatchState.PUBLISHED)
    return Batch.objects.get(pk=batch.pk)


def mend(batch: Batch) -> None:
    """Let the scheme have the word that people sent."""
    asks = batch.asks
    asks["questions"][0]["options"].append({"code": "Nope", "label": "Nope"})
    Batch.objects.filter(pk=batch.pk).update(asks=asks)


def answer_of(worker: str) -> Assignment:
    return Assignment.objects.get(worker__worker_id=worker)


def counted(worker: str) -> int:
    return Vote.objects.filter(worker__worker_id=worker, counts=True).count()


def test_what_stays_unreadable_stays_as_it_came(batch: Batch) -> None:
    before = answer_of("A2")
    assert do(READ_AGAIN, batch).values["unreadable"] == 1
    after = answer_of("A2")
    assert (after.answer_xml, after.problem) == (before.answer_xml, before.problem)
    assert counted("A2") == 0


def test_after_the_words_are_mended_it_is_read_like_any_other(batch: Batch) -> None:
    mend(batch)
    batch_label(batch=batch, question="named", actor="test")
    values = do(READ_AGAIN, Batch.objects.get(pk=batch.pk)).values
    assert (values["read"], values["unreadable"], values["votes"]) == (1, 0, 3)
    assert values["labels_changed"] == 2
    assert answer_of("A2").problem == ""
    assert counted("A2") == 3
    assert Label.objects.filter(question="named", value="tie").count() == 2
    event = AuditEvent.objects.get(action=AuditAction.ANSWERS_READ_AGAIN)
    assert event.detail["read"] == 1
    assert do(READ_AGAIN, batch).values["read"] == 0


def test_a_person_says_what_a_word_means(batch: Batch) -> None:
    done = do(READ_AGAIN, batch, meanings="Nope = no\n")
    assert done.values["read"] == 1
    choices = Vote.objects.filter(worker__worker_id="A2").values_list("choices__option", flat=True)
    assert {*choices} == {"no", "1", "yes", "m", "3"}
    with pytest.raises(TermError) as error:
        do(READ_AGAIN, batch, meanings="Nope = never")
    assert read_meanings(batch, "Nope,   never = No") == {"Nope, never": "no"}
    assert error.value.name == "meanings"


def test_of_a_rejected_answer_no_vote_counts_until_it_is_restored(batch: Batch) -> None:
    reject(batch, "A2")
    assert do(READ_AGAIN, batch, meanings="Nope = no").values["read"] == 1
    assert counted("A2") == 0
    assert Vote.objects.filter(worker__worker_id="A2").count() == 3


def test_a_second_vote_of_a_worker_does_not_count(batch: Batch) -> None:
    answer(batch, "A2", ["yes", "no", "yes", "skip"], assignment="second")
    do(READ_AGAIN, batch, meanings="Nope = no")
    assert counted("A2") == 3
    assert Vote.objects.filter(worker__worker_id="A2").count() == 6


def test_an_answer_of_an_erased_person_is_not_read(batch: Batch) -> None:
    Assignment.objects.filter(worker__worker_id="A2").update(answer_xml="")
    values = do(READ_AGAIN, batch).values
    assert (values["read"], values["unreadable"]) == (0, 0)


def test_command_and_api_read_again(batch: Batch, admin_user: Any) -> None:
    lines = run("batch", "read-again", batch.name, "--meanings", "Nope = no", "--json")
    assert '"read": 1' in lines
    Assignment.objects.filter(worker__worker_id="A2").update(problem="again")
    client = APIClient()
    client.force_authenticate(admin_user)
    address = f"/api/v1/batches/{batch.pk}/read-again/"
    response = client.post(address, {"meanings": "Nope = no"}, format="json")
    assert response.status_code == 200, response.content
    assert response.json()["read"] == 1


def test_the_page_of_a_worker_shows_it_safely_and_leads_to_reading(
    batch: Batch, admin_client: Client
) -> None:
    given = answer_of("A2")
    raw = given.answer_xml + HOSTILE
    Assignment.objects.filter(pk=given.pk).update(answer_xml=raw)
    address = reverse("batch-worker", args=[batch.pk, given.worker_id])
    page = BeautifulSoup(admin_client.get(address).content, "html.parser")
    [shown] = page.select("pre.raw")
    assert shown.text == raw
    assert not page.select("pre.raw script")
    act = reverse("batch-act", args=[batch.pk, READ_AGAIN.page])
    assert page.select(f'a[href="{act}"]')
    Assignment.objects.filter(pk=given.pk).update(answer_xml=given.answer_xml)
    page = BeautifulSoup(admin_client.get(act).content, "html.parser")
    form = page.select_one("form:has([name=cost])")
    assert form is not None
    fields = form.select("input[name], textarea[name]")
    sent = {str(field["name"]): str(field.get("value", "")) for field in fields}
    admin_client.post(act, sent | {"meanings": "Nope = no"})
    assert answer_of("A2").problem == ""


def test_every_answer_can_be_read_as_it_came_in_as_plain_text(
    batch: Batch, admin_client: Client, settings: Settings
) -> None:
    settings.OPEN = False
    given = answer_of("A1")
    address = reverse("answer-raw", args=[batch.pk, given.pk])
    response = admin_client.get(address)
    assert response.content.decode() == given.answer_xml
    assert response["Content-Type"].startswith("text/plain")
    assert response["X-Content-Type-Options"] == "nosniff"
    viewer = User.objects.create_user("viewer")
    Membership.objects.create(study=batch.study, user=viewer, role=Role.VIEWER)
    client = Client()
    client.force_login(viewer)
    assert client.get(address).status_code == 403
