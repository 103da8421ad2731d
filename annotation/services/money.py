"""What a batch may cost. Who commits and releases holds the batch's row in a transaction."""

from decimal import Decimal

from django.db import transaction

from annotation.models import AuditEvent, Batch
from annotation.mturk.pricing import parse_amount
from metrics.errors import InputError

__all__ = ["BudgetError", "budget_set", "money_commit", "money_release", "parse_amount"]


class BudgetError(InputError):
    """The budget of the batch does not allow it."""


def money_commit(*, batch: Batch, amount: Decimal) -> None:
    """Hold `amount` US dollars of the batch's budget; `BudgetError` if it is not there."""
    committed = batch.committed + amount
    if batch.budget is not None and committed > batch.budget:
        raise BudgetError(
            f"the batch {batch.name!r} has a budget of {batch.budget} USD, of which "
            f"{batch.committed} are committed; {amount} more are needed.",
            remedy="Raise the budget of the batch; what was published stays.",
        )
    batch.committed = committed
    Batch.objects.filter(pk=batch.pk).update(committed=committed)


def money_release(*, batch: Batch, amount: Decimal) -> None:
    """Give back what was held for something that will not happen."""
    batch.committed = max(batch.committed - amount, Decimal(0))
    Batch.objects.filter(pk=batch.pk).update(committed=batch.committed)


def budget_set(*, batch: Batch, budget: Decimal, actor: str) -> None:
    """Change what the batch may cost in all; never below what is committed already."""
    with transaction.atomic():
        locked = Batch.objects.select_for_update().get(pk=batch.pk)
        if budget <= 0 or budget < locked.committed:
            raise BudgetError(
                f"{locked.committed} USD are committed, so that the budget cannot be {budget} USD.",
                remedy=f"Give {locked.committed} USD or more.",
            )
        Batch.objects.filter(pk=batch.pk).update(budget=budget)
        AuditEvent.objects.create(
            batch=batch,
            actor=actor,
            action="budget changed",
            detail={"before": str(locked.budget or "none"), "now": str(budget)},
        )
