"""Costs of a batch: paid, due, and held for answers to come. US dollars throughout."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import Decimal

import numpy as np
from django.conf import settings
from django.db.models import Count, QuerySet, Sum

from annotation.batches.queries.pay import answer_seconds
from annotation.core.spent import MarketSpent, batch_spent, paid_here
from annotation.labels.queries.votes import study_queries
from annotation.models import AuditEvent, Batch, Bonus, Label
from annotation.models.assignments import cents
from annotation.vocabulary import TIE, AssignmentState

_CENT = Decimal("0.01")
_TENTH_OF_A_CENT = Decimal("0.001")
#: Lower ends of the bars of hourly pay.
_EDGES = (0, 4, 8, 12, 16, 20)


@dataclass(frozen=True)
class BatchCosts:
    """The account of a batch.

    `rewards`, `fees` and `bonuses` were paid through the crowd, the fees for both; `market` is the
    amount paid to Prolific, whose participants' answers are not in the others. `waiting` is the
    cost of submitted answers without a review, `owed` that of bonuses begun and not confirmed.
    `paid` is all of it in US dollars. `committed` is the most that outstanding work can cost. The
    costs per query and per label share out what was paid; a tie is not a label.
    """

    n_approved: int
    n_waiting: int
    n_rejected: int
    n_bonuses: int
    rewards: Decimal
    fees: Decimal
    bonuses: Decimal
    waiting: Decimal
    owed: Decimal
    committed: Decimal
    budget: Decimal | None
    n_queries: int
    n_labels: int
    paid: Decimal
    market: MarketSpent | None

    @property
    def left(self) -> Decimal | None:
        """Amount left of the budget; None without a budget."""
        return None if self.budget is None else self.budget - self.committed

    @property
    def per_query(self) -> Decimal | None:
        return _each(self.paid, self.n_queries)

    @property
    def per_label(self) -> Decimal | None:
        return _each(self.paid, self.n_labels)


@dataclass(frozen=True)
class PayBar:
    """Number of answers that earned from `low` to less than `high` dollars an hour."""

    low: int
    high: int | None
    n_answers: int
    share: float


@dataclass(frozen=True)
class PayDistribution:
    """Hourly pay over the answers of people whose time is known: quartiles, bars.

    `share_below` is the share of answers that earned less than `floor` an hour.
    """

    n_answers: int
    quartiles: tuple[Decimal, Decimal, Decimal]
    bars: list[PayBar]
    floor: float
    share_below: float


def batch_costs(*, batch: Batch) -> BatchCosts:
    """The account of `batch`; a fixed number of statements."""
    spent, answers = batch_spent(batch=batch), paid_here([batch])
    numbers = Counter(dict(answers.order_by().values_list("state").annotate(Count("pk"))))
    bonuses = Bonus.objects.filter(assignment__hit__batch=batch)
    paid = bonuses.paid().aggregate(n=Count("pk"), amounts=Sum("amount"), fees=Sum("fee"))
    n_approved = numbers[AssignmentState.APPROVED]
    rewards = batch.reward * n_approved
    return BatchCosts(
        n_approved=n_approved,
        n_waiting=numbers[AssignmentState.SUBMITTED],
        n_rejected=numbers[AssignmentState.REJECTED],
        n_bonuses=paid["n"],
        rewards=rewards,
        fees=answers.approved().cost() - rewards + cents(paid["fees"]),
        bonuses=cents(paid["amounts"]),
        waiting=answers.waiting().cost(),
        owed=bonuses.owed().cost(),
        committed=batch.committed,
        budget=batch.budget,
        n_queries=study_queries(batch=batch).count(),
        n_labels=_n_labels(batch),
        paid=spent.usd,
        market=spent.market,
    )


def pay_distribution(*, batch: Batch) -> PayDistribution | None:
    """Return the distribution of hourly pay; None where no times are known. One statement."""
    seconds = answer_seconds(batch=batch)
    if not seconds or not batch.reward:
        return None
    hourly, floor = float(batch.reward) * 3_600 / np.array(seconds), settings.MTURK_HOURLY_FLOOR
    low, middle, high = (
        Decimal(str(quartile)).quantize(_CENT)
        for quartile in np.quantile(hourly, [0.25, 0.5, 0.75])
    )
    return PayDistribution(
        n_answers=len(hourly),
        quartiles=(low, middle, high),
        bars=_bars(hourly.tolist()),
        floor=floor,
        share_below=float((hourly < floor).mean()),
    )


def money_events(*, batch: Batch) -> QuerySet[AuditEvent]:
    """Money events of the log, the latest first."""
    return AuditEvent.objects.about_money().filter(batch=batch).order_by("-at", "-id")


def _bars(hourly: Sequence[float]) -> list[PayBar]:
    counts, _ = np.histogram(hourly, bins=[*_EDGES, np.inf])
    highs = [*_EDGES[1:], None]
    return [
        PayBar(low, high, int(count), count / len(hourly))
        for low, high, count in zip(_EDGES, highs, counts, strict=True)
    ]


def _n_labels(batch: Batch) -> int:
    labels = Label.objects.standing().filter(query__batch=batch).exclude(value=TIE)
    labelled: int = labels.aggregate(n=Count("query", distinct=True))["n"]
    return labelled


def _each(amount: Decimal, number: int) -> Decimal | None:
    return (amount / number).quantize(_TENTH_OF_A_CENT) if number else None
