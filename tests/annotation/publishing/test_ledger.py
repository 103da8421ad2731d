"""What the database itself sees to, and what no call may be inside of."""

from collections.abc import Callable
from decimal import Decimal
from pathlib import Path

import pytest
from django.core.management import CommandError, call_command
from django.db import IntegrityError, transaction

from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.ledger import BatchStoppedError, hit_intend
from annotation.batches.operations.publish import publish_batch
from annotation.batches.queries.batches import batch_progress_list
from annotation.core.money import BudgetError
from annotation.crowd.gateway import Gateway
from annotation.models import HIT, Assignment, Batch, Bonus, Vote, Worker
from annotation.vocabulary import BatchState, HITState
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import FaultyProxy, refuse
from tests.annotation.publishing.test_faults_of_collecting import LIST, handed, listing

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


def test_a_call_inside_a_transaction_is_refused(gateway: Gateway) -> None:
    with (
        transaction.atomic(),
        pytest.raises(RuntimeError),
    ):
        gateway.balance()
    assert gateway.balance() == Decimal("10000.00")


def breaks(name: str, act: Callable[[], object]) -> None:
    """`act` is refused by the constraint of this name."""
    with pytest.raises(IntegrityError, match=name), transaction.atomic():
        act()


def test_money_beyond_the_budget_is_refused_by_the_database(make_batch: MakeBatch) -> None:
    make_batch(2, budget=Decimal(1))
    stored = Batch.objects.all()
    breaks("batch_committed_within_budget", lambda: stored.update(committed=Decimal("1.01")))
    breaks("batch_committed_within_budget", lambda: stored.update(committed=Decimal(-1)))
    breaks("batch_budget_positive", lambda: stored.update(budget=0))
    breaks("batch_reward_not_negative", lambda: stored.update(reward=-1))
    stored.update(committed=Decimal(1))


def test_a_published_hit_has_an_id_and_no_other_hit_has_the_same(make_batch: MakeBatch) -> None:
    hits = make_batch(4).hits.order_by("index")
    breaks("published_hit_has_its_id", lambda: hits.update(state=HITState.PUBLISHED))
    HIT.objects.filter(pk=hits[0].pk).update(hit_id="3X")
    with pytest.raises(IntegrityError), transaction.atomic():
        HIT.objects.filter(pk=hits[1].pk).update(hit_id="3X")
    with pytest.raises(IntegrityError), transaction.atomic():
        HIT.objects.filter(pk=hits[1].pk).update(request_token=hits[0].request_token)


def test_an_answer_a_vote_and_a_bonus_exist_once(make_batch: MakeBatch) -> None:
    batch = make_batch(2)
    hit, query = batch.hits.get(), batch.queries.all()[0]
    worker = Worker.objects.create(environment="local", worker_id="A1")
    with pytest.raises(IntegrityError), transaction.atomic():
        Worker.objects.create(environment="local", worker_id="A1")
    same = {"hit": hit, "worker": worker, "assignment_id": "3A", "state": "Submitted"}
    assignment = Assignment.objects.create(**same)
    with pytest.raises(IntegrityError), transaction.atomic():
        Assignment.objects.create(**same)
    Vote.objects.create(query=query, worker=worker)
    with pytest.raises(IntegrityError), transaction.atomic():
        Vote.objects.create(query=query, worker=worker)
    Vote.objects.create(query=query, worker=worker, counts=False)
    bonus = {"assignment": assignment, "fee": 0, "reason": "r", "request_token": "t"}
    breaks("bonus_is_something", lambda: Bonus.objects.create(amount=0, **bonus))


def test_a_budget_without_room_for_every_hit_lets_none_out(make_batch: MakeBatch) -> None:
    batch = make_batch(4, budget=Decimal("1.80"))
    Batch.objects.update(budget=Decimal("1.00"))
    with pytest.raises(BudgetError, match=r"0\.00 .* 1\.80"):
        publish_batch(batch_id=batch.pk, actor="test")
    states = batch.hits.order_by("index").values_list("state", flat=True)
    assert list(states) == [HITState.PLANNED, HITState.PLANNED]
    batch.refresh_from_db()
    assert (batch.state, batch.committed) == (BatchState.DRAFT, Decimal(0))
    Batch.objects.update(budget=Decimal("1.80"))
    publish_batch(batch_id=batch.pk, actor="test")
    batch.refresh_from_db()
    assert (batch.state, batch.committed) == (BatchState.PUBLISHED, Decimal("1.80"))


def test_one_of_two_publishers_gets_a_hit_and_nobody_gets_one_of_a_stopped_batch(
    make_batch: MakeBatch,
) -> None:
    batch = make_batch(2)
    Batch.objects.update(state=BatchState.PUBLISHING)
    first, second = HIT.objects.get(), HIT.objects.get()
    assert hit_intend(hit=first, token="t1") is True
    assert hit_intend(hit=second, token="t2") is False
    stored = HIT.objects.get()
    assert (stored.state, stored.request_token) == (HITState.SENT, "t1")
    batch.refresh_from_db()
    assert batch.committed == 3 * stored.unit_cost
    Batch.objects.update(state=BatchState.STOPPED)
    with pytest.raises(BatchStoppedError):
        hit_intend(hit=stored, token="t1")


def test_a_hit_that_was_sent_before_keeps_its_token_when_it_is_sent_again(
    make_batch: MakeBatch, proxy: FaultyProxy
) -> None:
    batch = make_batch(2)
    proxy.order("CreateHITWithHITType", {1: refuse("ParameterValidationError", "bad")})
    publish_batch(batch_id=batch.pk, actor="test")
    refused = batch.hits.get()
    batch.queries.update(text="changed")
    publish_batch(batch_id=batch.pk, actor="test")
    published = batch.hits.get()
    assert published.state == HITState.PUBLISHED
    assert (published.request_token, published.sent_at) == (refused.request_token, refused.sent_at)


def test_the_list_of_batches_takes_the_same_statements_for_one_and_for_many(
    make_batch: MakeBatch,
    proxy: FaultyProxy,
    django_assert_num_queries: Callable[[int], object],
) -> None:
    batch = make_batch(2)
    publish_batch(batch_id=batch.pk, actor="test")
    proxy.order(
        LIST, lambda _n: listing(handed(1), handed(2, answer=""), handed(3, worker="ASIM1"))
    )
    collect_batch(batch_id=batch.pk, actor="test")
    with django_assert_num_queries(5):  # type: ignore[attr-defined]
        [progress] = batch_progress_list()
    assert (progress.n_assignments, progress.n_quarantined) == (3, 1)
    assert (progress.n_votes, progress.n_votes_simulated, progress.n_workers) == (4, 2, 2)
    for number in range(5):
        make_batch(2, name=f"other {number}")
    with django_assert_num_queries(5):  # type: ignore[attr-defined]
        assert len(batch_progress_list()) == 6


def test_a_name_that_exists_is_an_error_and_stores_nothing(
    make_batch: MakeBatch, tmp_path: Path
) -> None:
    make_batch(2)
    queries = tmp_path / "q.tsv"
    queries.write_text("1\twho was ada\n")
    with pytest.raises(CommandError, match="'b'"):
        call_command("batch", "create", "--name", "b", "--queries", queries)
    assert Batch.objects.get().queries.count() == 2
