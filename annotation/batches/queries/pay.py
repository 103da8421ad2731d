"""Time that people take, their pay, and what that is per hour."""

import math
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_UP, Decimal
from statistics import mean, median
from typing import Protocol

from django.conf import settings
from django.db.models import Avg, Count, Q, QuerySet, Sum
from django.db.models.functions import Length

from annotation.models import Assignment, Batch, Bonus, HITQuery, Worker
from annotation.models.assignments import WorkTime, cents, hourly_rate
from annotation.schemes import About
from annotation.vocabulary import AssignmentState
from metrics.votes.workers import UNREADABLY_FAST

#: Assumed seconds for a query before anybody has answered: the query and five choices, read with
#: care.
_ASSUMED_SECONDS_PER_QUERY = 6.0
#: Reading a passage takes further time. Adults read 238 English words a minute silently (the mean
#: of 190 studies: Brysbaert, 2019, Journal of Memory and Language 109, 104047), of 6 characters
#: each with the blank after it.
CHARACTERS_PER_WORD = 6
_CHARACTERS_PER_SECOND = 238 * CHARACTERS_PER_WORD / 60
#: Proposed rewards are multiples of it, in US dollars.
_STEP = Decimal("0.05")


class Item(Protocol):
    """A query, or a pair with a passage."""

    @property
    def passage(self) -> str: ...


class HITTerms(Protocol):
    """The plan of a batch: what a HIT pays, and the queries that are on all of them."""

    @property
    def reward(self) -> Decimal: ...

    @property
    def n_hits(self) -> int: ...

    @property
    def queries(self) -> Sequence[Item]: ...


@dataclass(frozen=True)
class HourlyPay:
    """Pay: median seconds for a HIT, and the reward for an hour at that pace.

    Both are None before anybody has answered; simulated workers do not count. Where people answer
    faster than anybody can read, `is_implausible` holds, and pages show a warning instead.
    """

    n_answers_timed: int
    median_seconds: float | None
    usd_per_hour: Decimal | None
    is_implausible: bool


@dataclass(frozen=True)
class PayEstimate:
    """US dollars an hour at the median pace of `n_answers` earlier answers by people.

    Without any, the pace is assumed. Answers faster than anybody can read, `n_implausible` of them,
    do not count.
    """

    n_answers: int
    n_implausible: int
    seconds_per_query: float
    usd_per_hour: Decimal
    floor: float

    @property
    def is_low(self) -> bool:
        return float(self.usd_per_hour) < self.floor

    def warning(self, noun: str) -> str:
        """Sentence for a pay below the floor; `noun` is that of the batch's items."""
        basis = f"{self.seconds_per_query:.1f} s for a {noun}"
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
    return [time.seconds for time in _answer_times(batch)]


def hourly_pay(*, batch: Batch) -> HourlyPay:
    """Pay an hour at the median of `answer_seconds`; one statement."""
    times = _answer_times(batch)
    if not times:
        return HourlyPay(0, None, None, is_implausible=False)
    middle = median(time.seconds for time in times)
    is_implausible = median(time.per_query for time in times) < UNREADABLY_FAST
    rate = hourly_rate(batch.reward, middle)
    return HourlyPay(len(times), middle, rate, is_implausible=is_implausible)


def _answer_times(batch: Batch) -> list[WorkTime]:
    return list(Assignment.objects.filter(hit__batch=batch).of_people().work_times())


def hourly_by_worker(*, batch: Batch, only: Worker | None = None) -> dict[str, Decimal]:
    """Pay an hour at each worker's own median time, by id; one statement.

    Workers who answer faster than anybody can read are left out.
    """
    answers = Assignment.objects.filter(hit__batch=batch)
    if only is not None:
        answers = answers.filter(worker=only)
    times: defaultdict[str, list[WorkTime]] = defaultdict(list)
    if batch.reward:
        for time in answers.work_times():
            times[time.worker_id].append(time)
    return {
        worker: hourly_rate(batch.reward, median(time.seconds for time in of))
        for worker, of in times.items()
        if median(time.per_query for time in of) >= UNREADABLY_FAST
    }


def hourly_estimate(*, terms: HITTerms, batches: QuerySet[Batch]) -> PayEstimate:
    """The pay of an hour if people keep the pace of `batches`, or else the assumed one.

    Pass only batches that the reader may see: the pace of others must not be revealed.
    """
    passages = [len(query.passage) for query in terms.queries if query.passage]
    n_characters = mean(passages) if passages else 0
    return _estimate(terms.reward, len(terms.queries) / terms.n_hits, batches, n_characters)


def pay_forecast(*, batch: Batch) -> PayEstimate:
    """The pay of an hour of `batch`, at the pace of the batches of its study."""
    n_hits, n_places = batch.hits.count(), HITQuery.objects.filter(hit__batch=batch).count()
    queries_each = n_places / n_hits if n_hits else batch.queries_per_hit
    batches = Batch.objects.filter(study=batch.study_id)
    n_characters = 0.0
    if batch.scheme.about == About.PASSAGE:
        n_characters = batch.queries.aggregate(mean=Avg(Length("passage")))["mean"] or 0.0
    return _estimate(batch.reward, queries_each, batches, n_characters)


def proposed_reward(
    *,
    usual: Decimal,
    n_pairs: int,
    pairs_per_hit: int,
    n_characters: float,
    batches: QuerySet[Batch],
) -> Decimal:
    """Return the `usual` reward of a HIT, or more, in steps of 5 cents, to pay the hourly floor.

    The passages of the pairs have `n_characters` in the mean. The pace is that of
    `hourly_estimate`.
    """
    pairs_each = n_pairs / math.ceil(n_pairs / pairs_per_hit)
    pay = _estimate(usual, pairs_each, batches, n_characters)
    hours = Decimal(str(pay.seconds_per_query * pairs_each)) / 3_600
    steps = Decimal(str(pay.floor)) * hours / _STEP
    return max(usual, steps.to_integral_value(ROUND_UP) * _STEP)


def _estimate(
    reward: Decimal, queries_each: float, batches: QuerySet[Batch], n_characters: float
) -> PayEstimate:
    """Estimate the pay of HITs with this mean number of queries, and characters of passages."""
    # Only schemes about passages have the member `about`.
    about = Q(asks__about=About.PASSAGE) if n_characters else Q(asks__about__isnull=True)
    alike = batches.filter(about)
    answers = Assignment.objects.filter(hit__batch__in=alike).of_people()
    paces = [time.per_query for time in answers.work_times()]
    plausible = [pace for pace in paces if pace >= UNREADABLY_FAST]
    assumed = _ASSUMED_SECONDS_PER_QUERY + n_characters / _CHARACTERS_PER_SECOND
    pace = median(plausible) if plausible else assumed
    return PayEstimate(
        n_answers=len(plausible),
        n_implausible=len(paces) - len(plausible),
        seconds_per_query=pace,
        usd_per_hour=hourly_rate(reward, pace * queries_each),
        floor=settings.MTURK_HOURLY_FLOOR,
    )


def seconds_for_hit(*, batch: Batch) -> int:
    """Return the seconds for a HIT at the pace of `pay_forecast`, rounded up."""
    return max(1, math.ceil(pay_forecast(batch=batch).seconds_per_query * batch.queries_per_hit))


def minutes_for_hit(*, batch: Batch) -> int:
    """Return the minutes of `seconds_for_hit`, rounded up."""
    return math.ceil(seconds_for_hit(batch=batch) / 60)


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
