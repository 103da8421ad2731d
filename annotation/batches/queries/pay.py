"""How long people take, what they are paid, and how much that is an hour."""

from collections import defaultdict
from dataclasses import dataclass
from decimal import Decimal
from statistics import median
from typing import Protocol

from django.conf import settings
from django.db.models import Count, Q, QuerySet, Sum

from annotation.models import Assignment, Batch, Bonus, Worker
from annotation.models.assignments import cents, hourly_rate
from annotation.vocabulary import AssignmentState

#: Seconds for a query before anybody has answered: a query and five choices, read with care.
ASSUMED_SECONDS_PER_QUERY = 6.0


class HITTerms(Protocol):
    """A batch, or the plan of one: what a HIT pays, and for how many queries."""

    @property
    def reward(self) -> Decimal: ...

    @property
    def queries_per_hit(self) -> int: ...


@dataclass(frozen=True)
class HourlyPay:
    """Pay: median seconds for a HIT, and the reward for an hour at that pace.

    Both are None before anybody has answered; simulated workers do not count.
    """

    n_answers_timed: int
    median_seconds: float | None
    usd_per_hour: Decimal | None


@dataclass(frozen=True)
class PayEstimate:
    """US dollars an hour at the median pace of `n_answers` earlier answers by people.

    Without any, at the pace that is assumed before anybody has answered.
    """

    n_answers: int
    seconds_per_query: float
    usd_per_hour: Decimal
    floor: float

    @property
    def is_low(self) -> bool:
        return float(self.usd_per_hour) < self.floor

    def __str__(self) -> str:
        basis = f"{self.seconds_per_query:.1f} s for a query"
        return (
            f"The batch pays about {self.usd_per_hour} USD an hour at {basis}, below "
            f"{self.floor:g} USD."
        )


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


def answer_seconds(*, batch: Batch) -> list[float]:
    """The time of each answer that a person gave, from accepting to handing in; one statement."""
    answers = Assignment.objects.filter(hit__batch=batch).of_people()
    return [time.seconds for time in answers.work_times()]


def hourly_pay(*, batch: Batch) -> HourlyPay:
    """Pay an hour at the median of `answer_seconds`; one statement."""
    seconds = answer_seconds(batch=batch)
    if not seconds:
        return HourlyPay(n_answers_timed=0, median_seconds=None, usd_per_hour=None)
    middle = median(seconds)
    return HourlyPay(len(seconds), middle, hourly_rate(batch.reward, middle))


def hourly_by_worker(*, batch: Batch, only: Worker | None = None) -> dict[str, Decimal]:
    """Pay an hour at each worker's own median time, by id; one statement."""
    answers = Assignment.objects.filter(hit__batch=batch)
    if only is not None:
        answers = answers.filter(worker=only)
    seconds: defaultdict[str, list[float]] = defaultdict(list)
    if batch.reward:
        for time in answers.work_times():
            seconds[time.worker_id].append(time.seconds)
    return {worker: hourly_rate(batch.reward, median(of)) for worker, of in seconds.items()}


def hourly_estimate(*, terms: HITTerms, batches: QuerySet[Batch]) -> PayEstimate:
    """The pay of an hour if people keep the pace of `batches`, or else the assumed one.

    The batches are those that whoever asks may see: of others the pace must not be told.
    """
    answers = Assignment.objects.filter(hit__batch__in=batches).of_people()
    paces = [time.per_query for time in answers.work_times()]
    pace = median(paces) if paces else ASSUMED_SECONDS_PER_QUERY
    return PayEstimate(
        n_answers=len(paces),
        seconds_per_query=pace,
        usd_per_hour=hourly_rate(terms.reward, pace * terms.queries_per_hit),
        floor=settings.MTURK_HOURLY_FLOOR,
    )


def pay_forecast(*, batch: Batch) -> PayEstimate:
    """The pay of an hour of `batch`, at the pace of the batches of its study."""
    return hourly_estimate(terms=batch, batches=Batch.objects.filter(study=batch.study_id))


def pay_list(*, batch: Batch) -> list[WorkerPay]:
    """Every worker of the batch, by id; two statements."""
    bonuses = dict(
        Bonus.objects.paid()
        .filter(assignment__hit__batch=batch)
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
            bonuses=cents(bonuses.get(pk)),
        )
        for pk, worker_id, kind, n, approved, rejected in workers
    ]
