"""What a new batch is likely to pay an hour, from how long people took for earlier queries."""

from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from django.db.models import Count, QuerySet

from annotation.models import Assignment, Batch
from annotation.vocabulary import WorkerKind

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class PayEstimate:
    """US dollars an hour at the median pace of `n_answers` earlier answers by people."""

    n_answers: int
    seconds_per_query: float
    usd_per_hour: Decimal
    floor: float

    @property
    def is_low(self) -> bool:
        return float(self.usd_per_hour) < self.floor


def hourly_estimate(
    *, batches: QuerySet[Batch], reward: Decimal, queries_per_hit: int, floor: float
) -> PayEstimate | None:
    """The pay of an hour if people keep the pace of `batches`; None without any answer to them.

    The batches are those that whoever asks may see: of others the pace must not be told.
    """
    answers = (
        Assignment.objects.filter(hit__batch__in=batches)
        .filter(accepted_at__isnull=False, submitted_at__isnull=False)
        .exclude(worker__kind=WorkerKind.SIMULATED)
        .order_by()
        .annotate(n_queries=Count("hit__places"))
        .values_list("accepted_at", "submitted_at", "n_queries")
    )
    paces = [
        (submitted - accepted).total_seconds() / n_queries
        for accepted, submitted, n_queries in answers
        if accepted and submitted and submitted > accepted and n_queries
    ]
    if not paces:
        return None
    pace = median(paces)
    hourly = reward * 3_600 / Decimal(str(pace * queries_per_hit))
    return PayEstimate(
        n_answers=len(paces),
        seconds_per_query=pace,
        usd_per_hour=hourly.quantize(_CENT, ROUND_HALF_UP),
        floor=floor,
    )
