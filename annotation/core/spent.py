"""Amounts spent on a batch."""

from collections.abc import Collection
from decimal import Decimal

from annotation.models import Assignment, Batch, Bonus


def spent_by_batch(batches: Collection[int]) -> dict[int, Decimal]:
    """US dollars of approved answers and paid bonuses by batch, fees included; two statements."""
    answers = Assignment.objects.approved().filter(hit__batch__in=batches)
    bonuses = Bonus.objects.paid().filter(assignment__hit__batch__in=batches)
    spent = answers.cost_by_batch()
    for batch, usd in bonuses.cost_by_batch().items():
        spent[batch] = spent.get(batch, Decimal(0)) + usd
    return spent


def batch_spent(*, batch: Batch) -> Decimal:
    """US dollars of the approved answers and the paid bonuses of one batch, fees included."""
    return spent_by_batch([batch.pk]).get(batch.pk, Decimal(0))
