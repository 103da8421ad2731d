"""Workers and what they handed in."""

from django.db import models

from annotation.models.batches import HIT
from annotation.vocabulary import AssignmentState, Environment, WorkerKind


class Worker(models.Model):
    """Whoever votes. `kind` is set when first met and never changed afterwards."""

    environment = models.CharField(max_length=10, choices=Environment)
    worker_id = models.CharField(max_length=200)
    kind = models.CharField(max_length=10, choices=WorkerKind, default=WorkerKind.HUMAN)
    forgotten = models.BooleanField(
        db_default=False,
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


class Assignment(models.Model):
    """One worker's answer to one HIT, with the answer exactly as it arrived.

    `problem` says why no vote could be read from it; such an answer is kept and shown.
    That a worker answers a HIT once is the crowd's rule: should it fail, the second answer is kept
    as well, and the votes' own constraint decides which one counts.
    """

    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    assignment_id = models.CharField(max_length=64)
    state = models.CharField(max_length=10, choices=AssignmentState)
    accepted_at = models.DateTimeField(null=True, blank=True)
    submitted_at = models.DateTimeField(null=True, blank=True)
    answer_xml = models.TextField(blank=True)
    problem = models.TextField(blank=True)

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


class Bonus(models.Model):
    """Money on top for an answer: a line of the ledger, committed before the crowd is called."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    amount = models.DecimalField(max_digits=8, decimal_places=2, help_text="USD, without the fee.")
    fee = models.DecimalField(max_digits=8, decimal_places=2, help_text="USD.")
    reason = models.CharField(max_length=500, help_text="What the worker reads.")
    request_token = models.CharField(max_length=64, unique=True)
    intended_at = models.DateTimeField(auto_now_add=True)
    paid_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("intended_at", "id")
        constraints = [
            models.CheckConstraint(condition=models.Q(amount__gt=0), name="bonus_is_something"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} USD for {self.assignment}"
