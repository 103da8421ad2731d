"""What people read in several places is one number, checked against cases worked out by hand."""

from datetime import UTC, datetime, timedelta
from decimal import Decimal

import pytest
from django.test import Client
from django.urls import reverse

from annotation.batches.operations.planning import BatchPlan, PlannedQuery
from annotation.batches.queries.batches import batch_progress
from annotation.batches.queries.costs import batch_costs, money_events
from annotation.batches.queries.pay import (
    hourly_by_worker,
    hourly_estimate,
    hourly_pay,
    pay_forecast,
)
from annotation.batches.queries.queries import QueryFilter, batch_queries, query_detail
from annotation.batches.queries.workers import batch_workers
from annotation.core.spent import batch_spent
from annotation.labels.operations.adjudicate import query_adjudicate
from annotation.labels.queries import pseudonyms
from annotation.labels.queries.exporting import labels_overview
from annotation.labels.queries.pseudonyms import worker_names
from annotation.labels.queries.questions import closed_question
from annotation.models import Assignment, AuditEvent, Batch, Bonus, Label, Study, Vote, Worker
from annotation.overview.queries.log import pseudonymised_events
from annotation.overview.queries.study_log import LogFilter, study_events
from annotation.vocabulary import AssignmentState, Category, WorkerKind
from annotation.web.filters import usd
from tests.commands import run
from tests.study import stored_batch, stored_pool, with_votes
from tests.votes import store_vote

pytestmark = pytest.mark.django_db
_NOW = datetime(2026, 11, 21, 12, tzinfo=UTC)


@pytest.fixture
def batch() -> Batch:
    """Five queries, two on a HIT, so that the last HIT has one; USD 0.25 a HIT."""
    return with_votes(stored_batch(stored_pool(5)))


def timed(batch: Batch, *, hit: int, seconds: float) -> Assignment:
    answer = Assignment.objects.filter(hit__batch=batch, hit__index=hit).order_by("pk")[0]
    answer.accepted_at, answer.submitted_at = _NOW, _NOW + timedelta(seconds=seconds)
    answer.save()
    return answer


def test_the_time_of_a_query_is_its_share_of_the_page_that_it_stood_on(batch: Batch) -> None:
    answer = timed(batch, hit=2, seconds=40)
    [query] = [place.query for place in answer.hit.places.all()]
    votes = query_detail(batch=batch, number=query.pk).votes
    assert [vote.seconds for vote in votes] == [40.0, None, None]
    rows = {row.number: row for row in batch_workers(batch=batch)}
    assert rows[answer.worker_id].quality.seconds == 40.0


def test_the_pay_of_an_hour_is_the_reward_at_the_time_of_the_hit_however_long_its_page(
    batch: Batch,
) -> None:
    answer = timed(batch, hit=2, seconds=40)
    rows = {row.number: row for row in batch_workers(batch=batch)}
    expected = Decimal("22.50")  # 0.25 USD x 3,600 s / 40 s
    assert hourly_pay(batch=batch).usd_per_hour == expected
    assert rows[answer.worker_id].usd_per_hour == expected
    assert hourly_by_worker(batch=batch) == {answer.worker.worker_id: expected}


def test_a_worker_earns_an_hour_what_the_median_answer_pays(batch: Batch) -> None:
    for hit, seconds in ((0, 30), (1, 50), (2, 200)):
        answer = timed(batch, hit=hit, seconds=seconds)
    assert hourly_by_worker(batch=batch)[answer.worker.worker_id] == Decimal("18.00")


def test_what_was_spent_is_the_same_on_every_page(batch: Batch) -> None:
    answer = Assignment.objects.filter(hit__batch=batch).order_by("pk")[0]
    answer.hit.batch.hits.update(unit_cost=Decimal("0.30"))
    Assignment.objects.filter(pk=answer.pk).update(state=AssignmentState.APPROVED)
    paid = {"assignment": answer, "reason": "Slow.", "fee": Decimal("0.20")}
    Bonus.objects.create(**paid, amount=Decimal(1), request_token="a", paid_at=_NOW)
    Bonus.objects.create(**paid, amount=Decimal(9), request_token="b")
    spent = Decimal("1.50")  # 0.25 + 20 %, and 1.00 + 20 %; the other bonus is only owed
    assert batch_spent(batch=batch).usd == spent
    assert batch_progress(batch=batch).spent == spent
    costs = batch_costs(batch=batch)
    assert (costs.paid, costs.owed) == (spent, Decimal("9.20"))
    assert (costs.n_approved, costs.n_waiting, costs.n_rejected) == (1, 8, 0)
    assert costs.waiting == Decimal("2.40")


def test_the_adjudicators_decision_stands_wherever_labels_are_read(batch: Batch) -> None:
    # Votes nnn, fff, mmf, nfm, nnn: q0 n, q1 f, q2 m, q3 tie, q4 n in the order of the batch.
    none = dict.fromkeys(Category.values, 0)
    question = closed_question(batch=batch)
    before = labels_overview(batch=batch, question=question)
    assert before is not None
    assert (before.counts, before.n_ties) == (none | {"n": 2, "f": 1, "m": 1}, 1)
    standing = Label.objects.standing().filter(query__batch=batch)
    tied = next(one for one in standing.all() if one.value == "tie")
    query_adjudicate(batch=batch, qid=tied.query.qid, category="o", reason="Both.", by="ann")
    after = labels_overview(batch=batch, question=question)
    assert after is not None
    assert (after.counts, after.n_ties) == (none | {"n": 2, "f": 1, "m": 1, "o": 1}, 0)
    assert standing.get(query_id=tied.query_id).value == "o"
    rows = batch_queries(batch=batch, filters=QueryFilter(label="o")).rows
    assert [row.qid for row in rows] == [tied.query.qid]
    assert batch_costs(batch=batch).n_labels == 5


def test_a_worker_has_one_name_in_the_logs_of_batch_and_study(batch: Batch) -> None:
    batch.study = Study.objects.create(name="s")
    batch.save()
    worker = next(one for one in batch_workers(batch=batch) if one.kind == "simulated")
    detail = {"worker": Assignment.objects.filter(worker=worker.number)[0].worker.worker_id}
    AuditEvent.objects.create(batch=batch, actor="ann", action="votes discarded", detail=detail)
    of_batch = pseudonymised_events(batch.events.filter(action="votes discarded"))
    of_study = pseudonymised_events(
        study_events(study=batch.study, filters=LogFilter(what="votes discarded"))
    )
    assert of_batch == of_study
    assert of_batch[0].detail == {"worker": worker_names(batch=batch)[worker.number]}
    assert of_batch[0].detail == {"worker": "simulated-1"}


@pytest.mark.parametrize("n_first", [1, 2, 5])
def test_simulated_workers_are_numbered_by_all_their_votes_however_few_are_read_first(
    batch: Batch, n_first: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(pseudonyms, "_FIRST_QUERIES", n_first)
    first, second, third, *_ = batch.queries.order_by("qid")
    Vote.objects.filter(query__batch=batch).delete()
    voted = {
        # In the order that their sorted votes have; the last two differ in nothing but their ids.
        "one vote": {first: Category.FEMALE},
        "one vote more": {first: Category.FEMALE, third: Category.FEMALE},
        "two votes": {first: Category.FEMALE, third: Category.MALE},
        "another": {first: Category.MALE},
        "later": {second: Category.FEMALE},
        "latest-1": {third: Category.MALE},
        "latest-2": {third: Category.MALE},
    }
    workers = {
        name: Worker.objects.create(
            environment=batch.environment, worker_id=name, kind=WorkerKind.SIMULATED
        )
        for name in reversed(voted)
    }
    for name, votes in voted.items():
        for query, category in votes.items():
            store_vote(category, worker=workers[name], query=query)
    names = worker_names(batch=batch)
    expected = {name: f"simulated-{number}" for number, name in enumerate(voted, 1)}
    assert {name: names[worker.pk] for name, worker in workers.items()} == expected


def test_money_is_what_changes_an_amount_in_the_log_of_batch_and_study_alike(
    batch: Batch,
) -> None:
    batch.study = Study.objects.create(name="s")
    batch.save()
    for action, paid in (("answers collected", 1), ("publishing interrupted", 2), ("expired", 0)):
        AuditEvent.objects.create(batch=batch, actor="ann", action=action, paid=paid)
    of_batch = list(money_events(batch=batch))
    assert of_batch == list(study_events(study=batch.study, filters=LogFilter(money=True)))
    assert {event.action for event in of_batch} == {
        "answers collected",
        "publishing interrupted",
        "batch created",
    }


def test_a_pace_at_which_nobody_reads_is_a_warning_and_no_wage(
    batch: Batch, admin_client: Client
) -> None:
    for hit in (0, 1, 2):
        timed(batch, hit=hit, seconds=0.5)
    pay = hourly_pay(batch=batch)
    assert (pay.usd_per_hour, pay.is_implausible) == (Decimal("1800.00"), True)

    page = admin_client.get(reverse("batch-detail", args=[batch.pk])).content.decode()
    assert "1,800.00 USD" not in page
    assert "implausible pace" in page
    assert "nobody reads so fast" in run("batch", "show", batch.name)
    # The next batch of the study is not priced by it either.
    forecast = pay_forecast(batch=batch)
    assert (forecast.n_answers, forecast.n_implausible, forecast.seconds_per_query) == (0, 3, 6.0)


def test_the_pay_of_an_hour_is_that_of_the_queries_that_hits_have(batch: Batch) -> None:
    # Five queries on three HITs: at six seconds a query three HITs, 0.75 USD, take 30 seconds.
    assert pay_forecast(batch=batch).usd_per_hour == Decimal("90.00")
    queries = [PlannedQuery(f"q{number}", "what is it") for number in range(9)]
    plan = BatchPlan(name="nine", queries=queries, reward=Decimal("0.25"), queries_per_hit=10)
    estimate = hourly_estimate(terms=plan, batches=Batch.objects.none())
    assert estimate.usd_per_hour == Decimal("16.67")  # 0.25 USD x 3,600 s / (9 x 6 s)


@pytest.mark.parametrize(
    ("amount", "text"),
    [
        (Decimal(0), "0.00 USD"),
        (Decimal("0.3"), "0.30 USD"),
        (Decimal("1234.5"), "1,234.50 USD"),
        (Decimal("0.0125"), "0.0125 USD"),
        (12.0, "12.00 USD"),
        (Decimal("1E+3"), "1,000.00 USD"),
    ],
)
def test_money_has_two_decimals_everywhere(amount: Decimal | float, text: str) -> None:
    assert usd(amount) == text
