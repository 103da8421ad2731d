"""What workers were paid, and how much that is an hour."""

from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from statistics import median

from django.db.models import Count, Q, Sum

from annotation.models import Assignment, Batch, Bonus
from annotation.vocabulary import AssignmentState, WorkerKind

_CENT = Decimal("0.01")


@dataclass(frozen=True)
class HourlyPay:
    """What people earn: median seconds for a HIT, and the reward for an hour at that pace.

    Both are None before anybody has answered; simulated workers do not count.
    """

    n_answers_timed: int
    median_seconds: float | None
    usd_per_hour: Decimal | None


@dataclass(frozen=True)
class WorkerPay:
    """One worker's account in US dollars, without fees."""

    worker_id: str
    kind: str
    n_submitted: int
    n_approved: int
    n_rejected: int
    rewards: Decimal
    bonuses: Decimal


def hourly_pay(*, batch: Batch) -> HourlyPay:
    """The median over `answer_seconds`; one statement."""
    return _hourly(answer_seconds(batch=batch), batch.reward)


def answer_seconds(*, batch: Batch) -> list[float]:
    """The time of each answer that a person gave, from accepting to handing in; one statement."""
    spans = Assignment.objects.filter(
        hit__batch=batch, accepted_at__isnull=False, submitted_at__isnull=False
    ).exclude(worker__kind=WorkerKind.SIMULATED)
    return [
        (submitted - accepted).total_seconds()
        for accepted, submitted in spans.order_by().values_list("accepted_at", "submitted_at")
        if accepted is not None and submitted is not None and submitted > accepted
    ]


def pay_list(*, batch: Batch) -> list[WorkerPay]:
    """Every worker of the batch, by id; two statements."""
    bonuses = dict(
        Bonus.objects.filter(assignment__hit__batch=batch, paid_at__isnull=False)
        .order_by()
        .values_list("assignment__worker")
        .annotate(Sum("amount"))
    )
    workers = (
        Assignment.objects.filter(hit__batch=batch)
        .order_by("worker__worker_id")
        .values_list("worker", "worker__worker_id", "worker__kind")
        .annotate(
            n=Count("pk"),
            approved=Count("pk", filter=Q(state=AssignmentState.APPROVED)),
            rejected=Count("pk", filter=Q(state=AssignmentState.REJECTED)),
        )
    )
    return [
        WorkerPay(
            worker_id=worker_id,
            kind=kind,
            n_submitted=n,
            n_approved=approved,
            n_rejected=rejected,
            rewards=approved * batch.reward,
            bonuses=Decimal(bonuses.get(pk, 0)).quantize(_CENT),
        )
        for pk, worker_id, kind, n, approved, rejected in workers
    ]


def _hourly(seconds: Sequence[float], reward: Decimal) -> HourlyPay:
    if not seconds:
        return HourlyPay(n_answers_timed=0, median_seconds=None, usd_per_hour=None)
    middle = median(seconds)
    rate = (reward * 3_600 / Decimal(str(middle))).quantize(_CENT, ROUND_HALF_UP)
    return HourlyPay(n_answers_timed=len(seconds), median_seconds=middle, usd_per_hour=rate)
