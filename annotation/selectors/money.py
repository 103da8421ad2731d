"""What was paid for a batch."""

from decimal import Decimal

from django.db.models import F, Sum

from annotation.models import Assignment, Batch, Bonus
from annotation.vocabulary import AssignmentState

_CENT = Decimal("0.01")


def batch_paid(*, batch: Batch) -> Decimal:
    """US dollars of the approved answers and the bonuses that were sent, fees included."""
    approved = Assignment.objects.filter(hit__batch=batch, state=AssignmentState.APPROVED)
    bonuses = Bonus.objects.filter(assignment__hit__batch=batch, paid_at__isnull=False)
    answers = approved.aggregate(usd=Sum("hit__unit_cost"))["usd"] or 0
    extra = bonuses.aggregate(usd=Sum(F("amount") + F("fee")))["usd"] or 0
    # SQLite sums as floating point; whole cents come back exactly.
    return Decimal(answers).quantize(_CENT) + Decimal(extra).quantize(_CENT)
