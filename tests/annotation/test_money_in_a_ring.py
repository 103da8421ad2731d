"""Two who wait for each other's rows: the database ends one, which is done again."""

from decimal import Decimal

import pytest
from django.db import OperationalError, connection, transaction

from annotation.core.money import holds_money
from annotation.models import AuditEvent, Batch
from annotation.vocabulary import AuditAction
from tests.annotation.publishing.at_once import Meeting, at_once
from tests.study import a_study

pytestmark = [
    pytest.mark.django_db(transaction=True, databases=["default", "crowd"]),
    pytest.mark.skipif(
        connection.vendor != "postgresql", reason="SQLite locks the whole database: no ring"
    ),
]


def batches() -> tuple[Batch, Batch]:
    study = a_study("money")
    made = [
        Batch.objects.create(name=name, study=study, assignments_per_hit=1, reward=Decimal("0.10"))
        for name in ("first", "second")
    ]
    return made[0], made[1]


def test_a_deadlock_is_done_again_from_its_beginning() -> None:
    first, second = batches()
    meeting = Meeting(2)
    attempts: list[str] = []

    @holds_money
    def write_both(held: Batch, other: Batch) -> None:
        attempts.append(held.name)
        AuditEvent.objects.create(batch=held, actor="test", action=AuditAction.BUDGET_CHANGED)
        if attempts.count(held.name) == 1:
            meeting.come()
        Batch.objects.filter(pk=other.pk).update(budget=Decimal(10))

    at_once([lambda: write_both(first, second), lambda: write_both(second, first)])

    assert sorted(set(attempts)) == ["first", "second"]
    assert len(attempts) == 3  # one of them twice
    assert AuditEvent.objects.count() == 2  # what the ended attempt wrote is undone
    assert set(Batch.objects.values_list("budget", flat=True)) == {Decimal(10)}


def test_within_a_transaction_of_the_caller_a_deadlock_is_the_callers() -> None:
    """Only the outermost transaction can be done again: it ended with the deadlock."""
    first, second = batches()
    meeting = Meeting(2)
    met: set[str] = set()

    @holds_money
    def write_both(held: Batch, other: Batch) -> None:
        if held.name not in met:
            met.add(held.name)
            meeting.come()
        Batch.objects.filter(pk=other.pk).update(budget=Decimal(10))

    def within(held: Batch, other: Batch) -> str:
        try:
            with transaction.atomic():
                write_both(held, other)
        except OperationalError as error:
            return str(getattr(error.__cause__, "sqlstate", ""))
        return "done"

    ended = at_once([lambda: within(first, second), lambda: within(second, first)])
    assert sorted(ended) == ["40P01", "done"]
