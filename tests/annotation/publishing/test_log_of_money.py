"""The log has every cent: its amounts add up to what is committed and paid, after every step."""

from decimal import Decimal

import pytest
from django.db.models import Sum
from pytest_django.live_server_helper import LiveServer

from annotation.batches.operations.approve import APPROVE
from annotation.batches.operations.bonus import bonus_pay
from annotation.batches.operations.collect import collect_batch
from annotation.batches.operations.publish import publish_batch
from annotation.batches.operations.reviewing import (
    assignment_approve,
    assignment_reject,
    assignment_restore,
)
from annotation.batches.operations.stop import batch_expire
from annotation.batches.operations.top_up import TOP_UP
from annotation.core.money import BudgetError, set_budget
from annotation.core.spent import batch_spent
from annotation.models import Assignment, AuditEvent, Batch
from tests.annotation.publishing.conftest import MakeBatch
from tests.mturk_local.conftest import Annotator
from tests.mturk_local.time_passing import let_time_pass
from tests.performing import do

pytestmark = pytest.mark.django_db(transaction=True, databases=["default", "crowd"])


def ledger(batch: Batch) -> tuple[Decimal, Decimal]:
    """What is committed and paid; the log must say the same."""
    batch.refresh_from_db()
    logged = AuditEvent.objects.filter(batch=batch).aggregate(
        committed=Sum("committed"), paid=Sum("paid")
    )
    owed = (batch.committed, batch_spent(batch=batch).usd)
    assert owed == tuple(round(Decimal(logged[name] or 0), 2) for name in ("committed", "paid"))
    return owed


def test_every_step_is_logged_to_the_cent(make_batch: MakeBatch, live_server: LiveServer) -> None:
    batch = make_batch(4, budget=Decimal("1.20"), assignments_per_hit=2)
    Batch.objects.update(budget=Decimal("1.00"))
    with pytest.raises(BudgetError):
        publish_batch(batch_id=batch.pk, actor="test")
    assert ledger(batch) == (Decimal(0), Decimal(0))
    set_budget(batch, budget=Decimal("9.00"), actor="test")
    publish_batch(batch_id=batch.pk, actor="test")
    # Two HITs of two answers of 0.25 USD, each with a fee of 0.05.
    assert ledger(batch) == (Decimal("1.20"), Decimal(0))

    for name in ("one", "two"):
        annotator = Annotator(live_server.url, name)
        for hit in batch.hits.all():
            annotator.accept(str(hit.hit_id))
            annotator.answer(**{"q-0-gender": "f", "q-1-gender": "n"})
    collect_batch(batch_id=batch.pk, actor="test")
    first, second, *_ = Assignment.objects.order_by("pk")
    assignment_approve(assignment=first, actor="test")
    assert ledger(batch) == (Decimal("1.20"), Decimal("0.30"))
    assignment_reject(assignment=second, reason="Not read.", actor="test")
    assert ledger(batch) == (Decimal("1.20"), Decimal("0.30"))
    assignment_restore(assignment=second, reason="It was.", actor="test")
    assert ledger(batch) == (Decimal("1.20"), Decimal("0.60"))
    assert bonus_pay(assignment=first, amount=Decimal("0.10"), reason="Thanks", actor="test")
    assert not bonus_pay(assignment=first, amount=Decimal("0.10"), reason="Thanks", actor="test")
    assert ledger(batch) == (Decimal("1.32"), Decimal("0.72"))
    do(APPROVE, batch)
    assert ledger(batch) == (Decimal("1.32"), Decimal("1.32"))

    let_time_pass(600)
    do(TOP_UP, batch, assignments=3)
    assert ledger(batch) == (Decimal("1.92"), Decimal("1.32"))
    batch_expire(batch_id=batch.pk, actor="test")
    assert ledger(batch)[1] == Decimal("1.32")
