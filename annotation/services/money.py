"""What a batch may cost. The caller holds the batch's row locked within its transaction."""

from decimal import Decimal

from annotation.models import Batch
from annotation.mturk.pricing import parse_amount
from metrics.errors import InputError

__all__ = ["BudgetError", "money_commit", "money_release", "parse_amount"]


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
