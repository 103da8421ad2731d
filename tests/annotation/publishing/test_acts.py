"""The acts of the pages on a batch that is out: pressed in the browser's way, done at the crowd."""

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import mechanicalsoup
import pytest
from django.db.models.functions import Now
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.adaptive_policy import adaptive_begin
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.stop import batch_expire
from annotation.batches.operations.terms import AdaptiveParameters
from annotation.batches.queries.batches import batch_progress
from annotation.crowd.gateway import Gateway
from annotation.jobs.execution import run_job
from annotation.models import Assignment, Batch, Bonus, ExcludedWorker, Task, Vote, Worker
from annotation.vocabulary import Environment, TaskState
from tests.annotation.publishing.conftest import MakeBatch
from tests.mturk_local.conftest import Annotator
from tests.mturk_local.time_passing import let_time_pass

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])

Answers = Callable[..., Annotator]


@pytest.fixture
def answers(live_server: LiveServer) -> Answers:
    """Somebody new answers the HITs of these places."""

    def hand_in(batch: Batch, name: str, *places: int, **fields: str) -> Annotator:
        annotator = Annotator(live_server.url, name)
        for hit in batch.hits.filter(index__in=places):
            annotator.accept(str(hit.hit_id))
            annotator.answer(**{"q-0-gender": "f", "q-1-gender": "n", **fields})
        return annotator

    return hand_in


def published(batch: Batch) -> Batch:
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    return batch


def collect(batch: Batch) -> None:
    collect_batch(batch_id=batch.pk, actor="test")


def decide(client: Client, batch: Batch, act: str, **terms: str) -> str:
    """Look at the page of the act, agree to what it shows, and let the worker do it."""
    address = reverse("batch-act", args=[batch.pk, act])
    plan = client.get(address, terms).context["plan"]
    assert plan is not None
    shown = client.post(address, {**terms, "cost": str(plan.cost)}, follow=True)
    work()
    batch.refresh_from_db()
    return str(shown.content.decode())


def work() -> None:
    """Let the worker do what was asked for."""
    while (task := run_job()) is not None:
        assert task.state == TaskState.DONE, task.error


def press(client: Client, name: str, *place: int, **fields: str) -> str:
    answer = client.post(reverse(name, args=place), fields, follow=True)
    return str(answer.content.decode())


def test_a_stopped_batch_is_offered_again_for_as_long_as_said(
    client: Client, make_batch: MakeBatch, gateway: Gateway, answers: Answers
) -> None:
    batch = published(make_batch(4, assignments_per_hit=1))
    answers(batch, "one", 0)
    batch_expire(batch_id=batch.pk, actor="test")
    collect(batch)
    decide(client, batch, "extend", days="9")
    assert batch.state == "published"
    done, open_ = batch.hits.all()
    assert gateway.get_hit(str(done.hit_id)).status == "Reviewable"
    assert gateway.get_hit(str(open_.hit_id)).status == "Assignable"
    assert open_.expires_at is not None
    assert 8 <= (open_.expires_at - timezone.now()).days <= 9
    assert Task.objects.get().result == {"extended": 1}
    log = client.get(reverse("batch-log", args=[batch.pk])).content.decode()
    assert "Offered for longer" in log


def test_more_answers_are_asked_for_once_and_only_for_the_cost_that_was_shown(
    client: Client, make_batch: MakeBatch, gateway: Gateway
) -> None:
    batch = published(make_batch(4, budget=Decimal("10.00")))
    before = batch.committed
    page = client.get(reverse("batch-act", args=[batch.pk, "more"]), {"assignments": "5"})
    # Two HITs, two more answers each, 0.30 USD with the fee.
    assert page.context["plan"].cost == Decimal("1.20")
    address = reverse("batch-act", args=[batch.pk, "more"])
    refused = client.post(address, {"assignments": "5", "cost": "0.60"})
    assert "this spends 1.20 USD" in refused.content.decode()
    assert not Task.objects.exists()
    let_time_pass(600)
    decide(client, batch, "more", assignments="5")
    assert batch.committed == before + Decimal("1.20")
    assert batch.assignments_per_hit == 5
    assert {gateway.get_hit(str(hit.hit_id)).max_assignments for hit in batch.hits.all()} == {5}
    # The goal is five in all: the same task done twice adds nothing.
    Task.objects.update(state=TaskState.QUEUED, finished_at=None, run_after=Now())
    task = run_job()
    assert task is not None
    assert task.result["added"] == 0


@pytest.mark.long
def test_the_next_round_asks_where_voters_differ(
    client: Client, make_batch: MakeBatch, answers: Answers
) -> None:
    batch = make_batch(4, assignments_per_hit=2)
    adaptive_begin(batch=batch, actor="test", terms=AdaptiveParameters(full_share=0.0))
    published(batch)
    answers(batch, "one", 0, 1)
    answers(batch, "two", 0, 1, **{"q-1-gender": "m"})
    collect(batch)
    page = client.get(reverse("batch-act", args=[batch.pk, "round"]))
    assert page.context["plan"].cost == Decimal("0.30")
    decide(client, batch, "round")
    assert batch.hits.count() == 3
    assert batch.hits.get(index=2).hit_id
    page = client.get(reverse("batch-act", args=[batch.pk, "round"]))
    assert "No query needs another vote now." in page.content.decode()


def test_answers_are_approved_with_the_words_that_workers_read(
    client: Client, make_batch: MakeBatch, answers: Answers
) -> None:
    batch = published(make_batch(2))
    answers(batch, "one", 0)
    collect(batch)
    decide(client, batch, "approve", feedback="Well done.")
    assert Assignment.objects.get().state == "Approved"
    page = client.get(reverse("batch-costs", args=[batch.pk])).context["costs"]
    assert (page.rewards, page.fees, page.paid) == (
        Decimal("0.25"),
        Decimal("0.05"),
        Decimal("0.30"),
    )
    again = client.get(reverse("batch-act", args=[batch.pk, "approve"]))
    assert "No answer waits for a review." in again.content.decode()


def test_everybody_gets_the_same_bonus_once(
    client: Client, make_batch: MakeBatch, answers: Answers
) -> None:
    batch = published(make_batch(4))
    answers(batch, "one", 0, 1)
    answers(batch, "two", 0)
    collect(batch)
    decide(client, batch, "bonus", amount="0.5", reason="It took longer than we had said.")
    assert [bonus.amount for bonus in Bonus.objects.all()] == [Decimal("0.50")] * 2
    assert Bonus.objects.values("assignment__worker").distinct().count() == 2
    page = client.get(
        reverse("batch-act", args=[batch.pk, "bonus"]),
        {"amount": "0.50", "reason": "It took longer than we had said."},
    )
    assert page.context["plan"].nothing
    costs = client.get(reverse("batch-costs", args=[batch.pk])).context["costs"]
    assert (costs.bonuses, costs.fees) == (Decimal("1.00"), Decimal("0.20"))
    assert batch_progress(batch=batch).spent == costs.paid


def test_a_budget_is_raised_and_never_falls_below_what_is_committed(
    client: Client, make_batch: MakeBatch
) -> None:
    batch = published(make_batch(4, budget=Decimal("1.80")))
    decide(client, batch, "budget", budget="20.00")
    assert batch.budget == Decimal("20.00")
    shown = decide(client, batch, "budget", budget="0.50")
    assert "1.80 USD are committed" in shown
    assert batch.budget == Decimal("20.00")


def test_a_worker_is_kept_out_and_let_in_again(
    client: Client, make_batch: MakeBatch, answers: Answers, live_server: LiveServer
) -> None:
    batch = published(make_batch(8))
    hasty = answers(batch, "hasty", 0)
    collect(batch)
    worker = str(Worker.objects.get().pk)
    press(client, "worker-exclude", batch.pk, worker=worker, reason="all the same")
    told = run_job()
    assert told is not None
    assert told.result == {"told": 1}
    with pytest.raises(mechanicalsoup.LinkNotFoundError):
        hasty.accept(str(batch.hits.get(index=1).hit_id))
    answers(batch, "other", 1)
    shown = client.get(reverse("batch-worker", args=[batch.pk, worker])).content.decode()
    assert "Excluded: all the same." in shown
    assert hasty.worker_id not in shown
    press(client, "worker-readmit", batch.pk, worker=worker, reason="a mistake")
    run_job()
    hasty.accept(str(batch.hits.get(index=1).hit_id))
    assert ExcludedWorker.objects.get().sent_at is not None
    log = client.get(reverse("batch-log", args=[batch.pk])).content.decode()
    assert "Worker excluded" in log
    assert hasty.worker_id not in log


def test_one_answer_is_rejected_by_a_person_who_read_it_and_can_be_restored(
    client: Client, make_batch: MakeBatch, answers: Answers
) -> None:
    batch = published(make_batch(2))
    answers(batch, "one", 0)
    collect(batch)
    answer = Assignment.objects.get()
    place = (batch.pk, answer.pk)
    assert "Read the answer" in press(client, "answer-reject", *place, reason="x")
    press(client, "answer-reject", *place, read="on", reason=" ")
    assert not Task.objects.exists()
    press(client, "answer-reject", *place, read="on", reason="All ten were left at the first.")
    shown = client.get(reverse("batch-worker", args=[batch.pk, answer.worker_id])).content.decode()
    assert "Being sent to the crowd service." in shown
    assert Vote.objects.filter(counts=True).count() == 2
    work()
    assert not Vote.objects.filter(counts=True).exists()
    press(client, "answer-approve", *place)
    assert Task.objects.count() == 1
    press(client, "answer-restore", *place, reason="Sorry.")
    work()
    answer.refresh_from_db()
    assert answer.state == "Approved"
    assert Vote.objects.filter(counts=True).count() == 2


def test_a_job_pays_what_was_agreed_to_and_not_what_came_in_since(
    client: Client, make_batch: MakeBatch, answers: Answers
) -> None:
    batch = published(make_batch(2))
    answers(batch, "one", 0)
    collect(batch)
    address = reverse("batch-act", args=[batch.pk, "approve"])
    client.post(address, {"feedback": "Thanks.", "cost": "0.30"})
    answers(batch, "two", 0)
    collect(batch)
    work()
    assert sorted(Assignment.objects.values_list("state", flat=True)) == ["Approved", "Submitted"]
    actions = list(batch.events.values_list("action", flat=True))
    assert {"approve requested", "approved"} <= set(actions)


def test_a_bonus_for_one_answer_takes_its_exact_cost_where_money_is_real(
    client: Client, make_batch: MakeBatch, answers: Answers
) -> None:
    batch = published(make_batch(2))
    answers(batch, "one", 0)
    collect(batch)
    place = (batch.pk, Assignment.objects.get().pk)
    press(client, "answer-bonus", *place, amount="0.50", reason="Thanks.")
    work()
    assert Bonus.objects.get().paid_at is not None
    press(client, "answer-bonus", *place, amount="0.5", reason="Thanks.")
    assert Task.objects.count() == 1
    Batch.objects.update(environment=Environment.PRODUCTION)
    for agreed in ("", "0.50"):
        press(client, "answer-bonus", *place, amount="0.50", reason="More.", agreed=agreed)
    assert Bonus.objects.count() == Task.objects.count() == 1
    press(client, "answer-bonus", *place, amount="0.50", reason="More.", agreed="0.60")
    assert Task.objects.count() == 2


@pytest.mark.parametrize("typed", ["", "1.21", "yes", "sNaN"])
def test_an_act_that_spends_real_money_is_done_only_for_whoever_types_the_cost(
    client: Client, make_batch: MakeBatch, typed: str
) -> None:
    batch = published(make_batch(4))
    Batch.objects.update(environment=Environment.PRODUCTION)
    address = reverse("batch-act", args=[batch.pk, "more"])
    terms: dict[str, Any] = {"assignments": "5", "cost": "1.20"}
    refused = client.post(address, {**terms, "agreed": typed})
    assert "1.20 USD of real money" in refused.content.decode()
    assert not Task.objects.exists()
    client.post(address, {**terms, "agreed": "1.20"})
    assert Task.objects.get().arguments == {"assignments": 5}


def test_an_act_says_why_it_makes_no_sense(client: Client, make_batch: MakeBatch) -> None:
    batch = make_batch(2)
    page = client.get(reverse("batch-act", args=[batch.pk, "extend"])).content.decode()
    assert "not available for a draft batch" in page
    assert client.get(reverse("batch-act", args=[batch.pk, "nothing"])).status_code == 404


@pytest.mark.long
def test_other_terms_wait_until_the_work_that_is_under_way_is_done(
    client: Client, make_batch: MakeBatch
) -> None:
    batch = published(make_batch(2))
    address = reverse("batch-act", args=[batch.pk, "more"])
    client.post(address, {"assignments": "4", "cost": "0.30"})
    shown = client.post(address, {"assignments": "5", "cost": "0.60"}, follow=True)
    assert "being done with other terms" in shown.content.decode()
    assert Task.objects.get().arguments == {"assignments": 4}
