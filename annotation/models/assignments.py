"""Workers and their answers."""

from collections.abc import Iterator
from decimal import ROUND_HALF_UP, Decimal
from typing import NamedTuple

from django.conf import settings
from django.db import models
from django.db.models import Count, F, Q, Sum

from annotation.models.batches import HIT
from annotation.vocabulary import (
    LONGEST_BONUS_REASON,
    LONGEST_ID,
    UNVERIFIED,
    AssignmentState,
    Environment,
    Verification,
    WorkerKind,
)

#: The local crowd service gives ids with this start to participants of panels.
PANEL_PREFIX = "APANEL"
_CENT = Decimal("0.01")


def cents(amount: Decimal | float | None) -> Decimal:
    """Round a sum of the database to cents: SQLite sums in floating point."""
    return Decimal(amount or 0).quantize(_CENT)


def hourly_rate(reward: Decimal, seconds: float) -> Decimal:
    """Return US dollars an hour at `seconds` for a HIT that pays `reward`."""
    return (reward * 3_600 / Decimal(str(seconds))).quantize(_CENT, ROUND_HALF_UP)


def is_unproved(worker: str = "") -> Q:
    """Select panel participants whose votes do not count, because their identity is not proved.

    With `FAIRPOOL_COUNT_UNVERIFIED` these are only those whom the panel did not approve. `worker`
    leads to the worker from another table, as in `worker__`.
    """
    if settings.COUNT_UNVERIFIED:
        return Q(**{f"{worker}verification": Verification.REFUSED})
    return ~Q(**{f"{worker}verification": Verification.VERIFIED})


class Worker(models.Model):
    """A voter. `kind` is set when first met and never changed.

    `verification` follows what the crowd service says at each collecting; see docs/security.md.
    """

    environment = models.CharField(max_length=10, choices=Environment)
    worker_id = models.CharField(max_length=LONGEST_ID)
    kind = models.CharField(max_length=10, choices=WorkerKind, default=WorkerKind.HUMAN)
    verification = models.CharField(
        max_length=8, choices=Verification, default=Verification.VERIFIED
    )
    is_erased = models.BooleanField(
        default=False,
        help_text="Stands for a person whose data were deleted; no crowd knows the id.",
    )

    class Meta:
        ordering = ("environment", "worker_id")
        constraints = [
            models.UniqueConstraint(
                fields=["environment", "worker_id"], name="one_worker_per_environment_and_id"
            ),
        ]

    def __str__(self) -> str:
        return self.worker_id

    @property
    def voter_kind(self) -> str:
        """The worker's kind, or unverified."""
        is_proved = self.verification == Verification.VERIFIED
        return self.kind if is_proved or self.kind != WorkerKind.HUMAN else UNVERIFIED


class WorkTime(NamedTuple):
    """From accepting a HIT to handing it in: `seconds` for its page of `n_queries` queries.

    `answer` is the primary key of the assignment.
    """

    answer: int
    worker_id: str
    seconds: float
    n_queries: int

    @property
    def per_query(self) -> float:
        """Seconds for one query, gold questions included: the page is as long as it is."""
        return self.seconds / self.n_queries


class AssignmentQuerySet(models.QuerySet["Assignment"]):
    def of_people(self) -> "AssignmentQuerySet":
        return self.exclude(worker__kind=WorkerKind.SIMULATED)

    def approved(self) -> "AssignmentQuerySet":
        return self.filter(state=AssignmentState.APPROVED)

    def waiting(self) -> "AssignmentQuerySet":
        """Answers submitted and not reviewed yet."""
        return self.filter(state=AssignmentState.SUBMITTED)

    def cost(self) -> Decimal:
        """Cost of these answers once approved, in US dollars with fees."""
        return sum(self.cost_by_batch().values(), Decimal(0))

    def cost_by_batch(self) -> dict[int, Decimal]:
        """Return the cost for each batch, in US dollars by primary key."""
        rows = self.order_by().values_list("hit__batch").annotate(Sum("hit__unit_cost"))
        return {batch: cents(usd) for batch, usd in rows}

    def work_times(self) -> Iterator[WorkTime]:
        """The time of each answer whose time is known; one statement."""
        timed = self.filter(accepted_at__isnull=False, submitted_at__gt=F("accepted_at")).order_by()
        # Grouped by these columns alone: raw answers take long to compare.
        columns = timed.values_list(
            "pk", "worker__worker_id", "accepted_at", "submitted_at"
        ).annotate(n_queries=Count("hit__places"))
        for answer, worker_id, accepted, submitted, n_queries in columns.iterator(5_000):
            if accepted is not None and submitted is not None and n_queries:
                seconds = (submitted - accepted).total_seconds()
                yield WorkTime(answer, worker_id, seconds, n_queries)


class Assignment(models.Model):
    """One worker's answer to one HIT, with the answer exactly as it arrived.

    `problem` says why no vote could be read from it; such an answer is kept and shown. The crowd
    ensures that a worker answers a HIT once: should it fail, the second answer is kept as well, and
    the votes' own constraint decides which one counts.
    """

    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    assignment_id = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=AssignmentState)
    accepted_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    answer_xml = models.TextField(blank=True)
    problem = models.TextField(blank=True)
    comment = models.TextField(blank=True, help_text="The worker's comment on the whole task.")

    objects = AssignmentQuerySet.as_manager()

    class Meta:
        ordering = ("submitted_at", "id")
        constraints = [
            # Amazon may issue one assignment id again to another worker after a return.
            models.UniqueConstraint(
                fields=["assignment_id", "worker"], name="one_assignment_per_id_and_worker"
            ),
        ]

    def __str__(self) -> str:
        return self.assignment_id

    @property
    def seconds(self) -> float | None:
        """Seconds from accepting to submitting; None where the crowd did not say."""
        if self.accepted_at is None or self.submitted_at is None:
            return None
        return (self.submitted_at - self.accepted_at).total_seconds()


class BonusQuerySet(models.QuerySet["Bonus"]):
    def paid(self) -> "BonusQuerySet":
        return self.filter(paid_at__isnull=False)

    def owed(self) -> "BonusQuerySet":
        """Bonuses begun and not confirmed by the crowd."""
        return self.filter(paid_at__isnull=True)

    def cost(self) -> Decimal:
        """US dollars with fees."""
        return sum(self.cost_by_batch().values(), Decimal(0))

    def cost_by_batch(self) -> dict[int, Decimal]:
        """Return the cost for each batch, in US dollars by primary key."""
        rows = self.order_by().values_list("assignment__hit__batch")
        return {batch: cents(usd) for batch, usd in rows.annotate(usd=Sum(F("amount") + F("fee")))}


class Bonus(models.Model):
    """A bonus for an answer: a line of the ledger, committed before the crowd is called."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    amount = models.DecimalField(max_digits=8, decimal_places=2, help_text="USD, without the fee.")
    fee = models.DecimalField(max_digits=8, decimal_places=2, help_text="USD.")
    reason = models.CharField(max_length=LONGEST_BONUS_REASON, help_text="What the worker reads.")
    request_token = models.CharField(max_length=64, unique=True)
    intended_at = models.DateTimeField(auto_now_add=True)
    paid_at = models.DateTimeField(null=True, blank=True)

    objects = BonusQuerySet.as_manager()

    class Meta:
        ordering = ("intended_at", "id")
        constraints = [
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="bonus_is_something"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} USD for {self.assignment}"
