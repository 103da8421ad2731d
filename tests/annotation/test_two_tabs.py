"""Two people, or two tabs: who decides on what has changed since is shown both and asked."""

import json
from datetime import timedelta
from typing import Any

import pytest
from bs4 import BeautifulSoup
from django.contrib.auth.models import User
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.budget import BUDGET
from annotation.core.operations import Actor
from annotation.core.perform import estimate, perform, perform_here
from annotation.core.task_queue import release_task, task_acts, task_claim
from annotation.core.versions import StaleError, check_version, version_of
from annotation.jobs.execution import run_job
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.operations.decide import LABEL, batch_label
from annotation.models import (
    AuditEvent,
    Batch,
    DiscardedVotes,
    Label,
    Labelling,
    Task,
    Worker,
)
from annotation.schemes import scheme_to_yaml
from annotation.vocabulary import DECIDING, LabelMethod, TaskState
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.exclude import EXCLUDE
from metrics.errors import InputError
from tests.study import stored_batch, stored_pool, with_votes

pytestmark = pytest.mark.django_db
ME = Actor("me")


@pytest.fixture
def batch() -> Batch:
    return with_votes(stored_batch(stored_pool(8)))


@pytest.fixture
def client() -> Client:
    client = Client()
    client.force_login(
        User.objects.create_user("lab", password="a long one", is_superuser=True, is_staff=True)
    )
    return client


def sent(client: Client, address: str, form: str) -> dict[str, str]:
    """The hidden fields of the form of a page that posts to `form`."""
    page = BeautifulSoup(client.get(address).content, "lxml")
    found = page.select_one(f'form[action="{form}"], main form[method="post"]:not([action])')
    assert found is not None, address
    hidden = found.select('input[type="hidden"]')
    return {str(one["name"]): str(one.get("value", "")) for one in hidden}


def test_an_adjudication_decided_meanwhile_is_not_overwritten(batch: Batch, client: Client) -> None:
    page = reverse("batch-adjudication", args=[batch.pk])
    act = reverse("query-adjudicate", args=[batch.pk])
    fields = sent(client, page, act)
    query_adjudicate(batch=batch, qid=fields["qid"], category="f", reason="ada's", by="ada")

    mine = {**fields, "category": "m", "reason": "my own reason"}
    asked = client.post(act, mine)
    label = Label.objects.get(method=LabelMethod.ADJUDICATED)
    assert (label.value, label.decided_by) == ("f", "ada")
    # Both states stand on the page, with what was typed; deciding again replaces it.
    shown = asked.content.decode()
    assert "ada&#x27;s" in shown
    assert "my own reason" in shown
    again = asked.context["page"].version
    client.post(act, {**mine, "version": again})
    label.refresh_from_db()
    assert label.value == "m"


def test_a_withdrawal_is_of_the_decision_that_was_seen(batch: Batch, client: Client) -> None:
    query_adjudicate(batch=batch, qid="q3", category="f", reason="x", by="ada")
    page = reverse("batch-adjudication", args=[batch.pk])
    act = reverse("adjudication-withdraw", args=[batch.pk])
    fields = sent(client, page, act)
    query_adjudicate(batch=batch, qid="q3", category="m", reason="y", by="bob")

    client.post(act, {**fields, "reason": "was wrong"})
    assert Label.objects.get(method=LabelMethod.ADJUDICATED).value == "m"
    client.post(act, {**sent(client, page, act), "reason": "was wrong"})
    assert not Label.objects.filter(method=LabelMethod.ADJUDICATED).exists()


def budget_page(batch: Batch) -> str:
    return reverse("batch-act", args=[batch.pk, "budget"])


def test_a_budget_that_was_changed_meanwhile_is_asked_about(batch: Batch, client: Client) -> None:
    page = budget_page(batch)
    fields = {**sent(client, f"{page}?budget=500", page), "budget": "500"}
    perform_here(BUDGET, batch, {"budget": "700"}, ME)

    asked = client.post(page, fields)
    batch.refresh_from_db()
    assert batch.budget == 700
    shown = asked.content.decode()
    assert "10000.00 USD" in shown
    assert "700.00 USD" in shown
    client.post(page, {**fields, "version": asked.context["plan"].version})
    batch.refresh_from_db()
    assert batch.budget == 500


def test_a_method_that_was_changed_meanwhile_is_asked_about(batch: Batch, client: Client) -> None:
    page, act = reverse("batch-labels", args=[batch.pk]), reverse("labels-decide", args=[batch.pk])
    fields = {**sent(client, page, act), "method": "majority"}
    batch_label(batch=batch, method="dawid_skene", actor="test")

    client.post(act, fields)
    assert not batch.tasks.exists()
    client.post(act, {**fields, "version": sent(client, page, act)["version"]})
    assert batch.tasks.exists()


@pytest.mark.django_db(transaction=True)
def test_a_job_about_what_has_changed_before_it_runs_does_nothing(batch: Batch) -> None:
    seen = estimate(LABEL, batch, {"method": "majority"}, ME).version
    task = perform(LABEL, batch, {"method": "majority"}, ME, version=seen)
    assert isinstance(task, Task)
    batch_label(batch=batch, method="dawid_skene", actor="test")
    run_job(task_id=task.pk)
    task.refresh_from_db()
    assert task.state == TaskState.FAILED
    assert dict(DECIDING)["dawid_skene"] in task.error
    assert set(Labelling.objects.values_list("method", flat=True)) == {"dawid_skene"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("has_acted", [True, False])
def test_a_job_is_held_to_what_was_seen_until_an_attempt_has_acted(
    batch: Batch, has_acted: bool
) -> None:
    seen = estimate(LABEL, batch, {"method": "majority"}, ME).version
    task = perform(LABEL, batch, {"method": "majority"}, ME, version=seen)
    assert isinstance(task, Task)
    first = task_claim(worker="host:1", lease=timedelta(minutes=1))
    assert first is not None
    if has_acted:
        task_acts(task=first)
        release_task(task=first)  # told to stop, which counts as no attempt
    else:
        Task.objects.update(lease_until=Now() - timedelta(seconds=1))  # killed
    batch_label(batch=batch, method="dawid_skene", actor="test")
    run_job(task_id=task.pk)
    task.refresh_from_db()
    assert task.state == (TaskState.DONE if has_acted else TaskState.FAILED), task.error


@pytest.mark.parametrize("name", ["worker-discard-votes", "worker-exclude"])
def test_a_worker_somebody_decided_about_meanwhile_is_asked_about(
    batch: Batch, client: Client, name: str
) -> None:
    worker = Worker.objects.get(worker_id="A0")
    page = reverse("batch-worker", args=[batch.pk, worker.pk])
    act = reverse(name, args=[batch.pk])
    fields = {**sent(client, page, act), "reason": "mine"}
    other = EXCLUDE if name == "worker-discard-votes" else DISCARD_VOTES
    perform_here(other, batch, {"worker": worker.pk, "reason": "theirs"}, ME)

    told = client.post(act, fields, follow=True).content.decode()
    assert "theirs" in told
    assert worker.discarded_votes.count() + worker.exclusions.count() == 1
    client.post(act, {**sent(client, page, act), "reason": "mine"})
    assert worker.discarded_votes.count() + worker.exclusions.count() == 2


def test_texts_that_were_saved_meanwhile_are_not_lost(client: Client) -> None:
    batch = stored_batch(stored_pool(4))
    page = reverse("batch-scheme", args=[batch.pk])
    act = reverse("batch-scheme-save", args=[batch.pk])
    mine, theirs = (
        scheme_to_yaml(batch.scheme).replace("mention a gender?", text)
        for text in ("say? (mine)", "say? (theirs)")
    )
    first = {**sent(client, page, act), "scheme": theirs, "save": ""}
    second = {**first, "scheme": mine}

    def question() -> str:
        content = batch.scheme_versions.latest("number").content
        return str(content["questions"][0]["text"])

    assert client.post(act, first).status_code == 302
    asked = client.post(act, second)
    assert "(theirs)" in question()
    assert "(mine)" in asked.content.decode()
    client.post(act, {**second, "version": asked.context["version"]})
    assert "(mine)" in question()


def test_the_api_says_what_was_seen_and_what_holds(batch: Batch, client: Client) -> None:
    def call(name: str, how: str = "POST", **body: Any) -> Any:
        address = f"/api/v1/batches/{batch.pk}/{name}/"
        return client.generic(how, address, json.dumps(body), content_type="application/json")

    version = call("costs", "GET").json()["version"]
    assert call("costs", "PATCH", budget="700.00").status_code == 200  # optional
    stale = call("costs", "PATCH", budget="500.00", version=version)
    assert stale.status_code == 409
    told = stale.json()
    assert told["type"] == "urn:problem-type:fairpool:stale"
    assert (told["seen"], told["now"]) == ({"Budget": "10000.00 USD"}, {"Budget": "700.00 USD"})
    mine = call("costs", "PATCH", budget="500.00", version=told["version"])
    assert mine.json()["costs"]["budget"] == "500.00"
    labels = call("label", method="majority", dry_run=True).json()["version"]
    batch_label(batch=batch, method="dawid_skene", actor="test")
    assert call("label", method="majority", version=labels).status_code == 409

    decision = {"qid": "q3", "category": "f", "reason": "x"}
    first = call("adjudication/decisions", **decision).json()
    assert call("adjudication/decisions", **{**decision, "category": "m"}).status_code == 200
    assert call("adjudication/decisions", **decision, version=first["version"]).status_code == 409


def test_a_stale_decision_leaves_no_trace(batch: Batch) -> None:
    version = estimate(LABEL, batch, {}, ME).version
    batch_label(batch=batch, method="dawid_skene", actor="test")
    before = AuditEvent.objects.count()

    with pytest.raises(StaleError):
        perform_here(LABEL, batch, {}, ME, version=version)
    assert AuditEvent.objects.count() == before
    assert Labelling.objects.get(batch=batch).method == "dawid_skene"
    assert not DiscardedVotes.objects.exists()


@pytest.mark.parametrize(
    "version", ["", "x", "====", "W10", "eyJhIjoxfQ", "A" * 30_000, "W1t" * 6_000, "\u00e9"]
)
def test_a_version_that_nobody_gave_out_is_refused(version: str) -> None:
    with pytest.raises(InputError) as caught:
        check_version(version, {"Budget": "none"})
    assert not isinstance(caught.value, StaleError)


def test_equal_states_have_equal_versions() -> None:
    version = version_of({"b": "\u00fc", "a": "1"})

    check_version(version, {"a": "1", "b": "\u00fc"})
    with pytest.raises(StaleError) as caught:
        check_version(version, {"a": "2", "b": "\u00fc"})
    assert (caught.value.seen["a"], caught.value.now["a"]) == ("1", "2")
