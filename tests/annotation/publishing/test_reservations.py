"""A publication is held as a whole before its first call; what was not sent is given back."""

from datetime import timedelta
from decimal import Decimal
from functools import partial

import pytest
from django.utils import timezone
from pytest_django import Settings

from annotation.batches.operations import ledger
from annotation.batches.operations.publish import PublishReport, publish_batch
from annotation.batches.operations.stop import batch_expire
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.money import BudgetError
from annotation.crowd.connection import batch_gateway
from annotation.crowd.errors import CrowdStopError
from annotation.models import Batch, Task
from annotation.overview.operations.schedule import reservations_schedule
from annotation.overview.queries.invariants import broken_invariants
from annotation.vocabulary import BatchState, HITState, TaskKind
from metrics.errors import InputError
from tests.annotation.publishing.at_once import at_once
from tests.annotation.publishing.conftest import MakeBatch
from tests.annotation.publishing.faults import FaultyProxy, refuse
from tests.annotation.publishing.test_faults_of_publishing import CREATE
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])
#: Of a HIT: three answers of 0.25 USD, each with a fee of 0.05.
HIT_COST = Decimal("0.90")


def money(batch: Batch) -> Decimal:
    batch.refresh_from_db()
    assert broken_invariants() == {}
    return batch.committed


def begin(batch: Batch) -> None:
    """As a publisher begins, which is killed then."""
    ledger.publishing_begin(batch, endpoint=batch_gateway(batch).endpoint, actor="test")


def test_of_four_batches_at_once_those_come_out_whole_for_which_there_is_room(
    make_batch: MakeBatch, settings: Settings
) -> None:
    settings.SITE_BUDGET = 4 * HIT_COST
    batches = [make_batch(4, name=f"b{n}", queries_per_hit=2) for n in range(4)]

    done = at_once([partial(publish_batch, batch_id=one.pk, actor="test") for one in batches])

    out = [one for one in done if isinstance(one, PublishReport)]
    assert [one.published for one in out] == [2, 2]
    assert all(isinstance(one, BudgetError) for one in done if one not in out)
    assert sorted(money(one) for one in batches) == [0, 0, 2 * HIT_COST, 2 * HIT_COST]
    assert sorted(one.state for one in batches) == ["draft", "draft", "published", "published"]


def test_what_a_killed_publisher_held_is_used_by_the_next(make_batch: MakeBatch) -> None:
    batch = make_batch(4, budget=2 * HIT_COST)
    begin(batch)
    assert money(batch) == 2 * HIT_COST

    assert publish_batch(batch_id=batch.pk, actor="test").published == 2
    assert money(batch) == 2 * HIT_COST
    assert not batch.hits.exclude(reserved_at=None).exists()


@pytest.mark.parametrize("what", ["silent", "young", "task"])
def test_what_a_killed_publisher_held_is_given_back_by_the_clock(
    make_batch: MakeBatch, what: str
) -> None:
    """Unless it has begun a moment ago, or a task goes on with it."""
    batch = make_batch(4)
    begin(batch)
    if what != "young":
        batch.hits.update(reserved_at=timezone.now() - timedelta(minutes=11))
    if what == "task":
        Task.objects.create(kind=TaskKind.PUBLISH, batch=batch, actor="test")

    reservations_schedule()

    assert money(batch) == (0 if what == "silent" else 2 * HIT_COST)


def test_stopping_gives_back_what_was_not_sent(make_batch: MakeBatch) -> None:
    batch = make_batch(6)
    begin(batch)
    first = batch.hits.order_by("index")[0]
    assert ledger.hit_intend(hit=first, token="t")
    ledger.hit_record_published(hit=first, hit_id="H", expires_at=None)
    assert money(batch) == 3 * HIT_COST

    ledger.publishing_stop(batch)

    assert money(batch) == HIT_COST
    with pytest.raises(ledger.BatchStoppedError):
        ledger.hit_intend(hit=batch.hits.order_by("index")[1], token="u")


def test_a_publisher_whose_fellow_has_ended_holds_the_rest_again(make_batch: MakeBatch) -> None:
    batch = make_batch(4)
    begin(batch)
    ledger.publishing_end(batch)
    assert money(batch) == 0
    assert ledger.hit_intend(hit=batch.hits.order_by("index")[0], token="t")
    assert money(batch) == 2 * HIT_COST
    assert batch.hits.filter(state=HITState.SENT).count() == 1


def test_an_account_that_says_no_half_way_leaves_nothing_held_but_what_was_sent(
    make_batch: MakeBatch, proxy: FaultyProxy
) -> None:
    batch = make_batch(6)
    no_money = "This Requester has insufficient funds in their account"
    proxy.order(CREATE, {2: refuse("RequestError", no_money)})
    with pytest.raises(CrowdStopError):
        publish_batch(batch_id=batch.pk, actor="test")
    # One is out; of the second nobody knows.
    assert money(batch) == 2 * HIT_COST
    assert batch.state == BatchState.PUBLISHING


def test_more_answers_are_held_for_every_hit_or_none(make_batch: MakeBatch) -> None:
    batch = make_batch(4, assignments_per_hit=2)
    publish_batch(batch_id=batch.pk, actor="test")
    before = money(batch)
    Batch.objects.update(budget=before + Decimal("0.30"))

    with pytest.raises(InputError):
        do(TOP_UP, Batch.objects.get(pk=batch.pk), assignments=3)

    assert money(batch) == before
    assert set(batch.hits.values_list("max_assignments", flat=True)) == {2}
    assert batch_expire(batch_id=batch.pk, actor="test").expired == 2
