"""Decisions about workers of a batch, and their attempts at the test before the first HIT."""

from django.db import models
from django.db.models import Q

from annotation.models.assignments import Worker
from annotation.models.batches import Batch
from annotation.vocabulary import LONGEST_ID, LONGEST_USERNAME


class DiscardedVotesQuerySet(models.QuerySet["DiscardedVotes"]):
    def active(self) -> "DiscardedVotesQuerySet":
        """Decisions that hold."""
        return self.filter(restored_at=None)


class DiscardedVotes(models.Model):
    """A worker whose votes in one batch do not count, from `at` until `restored_at`.

    Votes are never deleted: restored votes count again, and the rows are the history.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="discarded_votes")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="discarded_votes")
    reason = models.TextField()
    by = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that did it."
    )
    at = models.DateTimeField(auto_now_add=True)
    restored_by = models.CharField(max_length=LONGEST_USERNAME, blank=True)
    restored_at = models.DateTimeField(null=True, blank=True)

    objects = DiscardedVotesQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker"],
                condition=Q(restored_at__isnull=True),
                name="votes_discarded_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} in {self.batch_id}"


class ExcludedWorkerQuerySet(models.QuerySet["ExcludedWorker"]):
    def active(self) -> "ExcludedWorkerQuerySet":
        """Decisions that hold."""
        return self.filter(readmitted_at=None)


class ExcludedWorker(models.Model):
    """A worker who gets no further HIT of one batch, from `at` until `readmitted_at`.

    The worker's answers are paid and count independently of this. The crowd is told afterwards, by
    a qualification; `sent_at` is empty until it knows of the latest decision.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="excluded_workers")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="exclusions")
    reason = models.TextField()
    by = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that did it."
    )
    at = models.DateTimeField(auto_now_add=True)
    readmitted_by = models.CharField(max_length=LONGEST_USERNAME, blank=True)
    readmitted_at = models.DateTimeField(null=True, blank=True)
    sent_at = models.DateTimeField(null=True, blank=True)

    objects = ExcludedWorkerQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker"],
                condition=Q(readmitted_at__isnull=True),
                name="worker_excluded_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} out of {self.batch_id}"


class ComprehensionTry(models.Model):
    """One worker's attempt, decided before the crowd is told; a worker has two."""

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="comprehension_tries")
    worker_id = models.CharField(max_length=LONGEST_ID)
    request_id = models.CharField(max_length=64, unique=True)
    number = models.PositiveSmallIntegerField(help_text="First, second, ... try of the worker.")
    n_right = models.PositiveSmallIntegerField()
    passed = models.BooleanField()
    at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("at", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker_id", "number"], name="one_comprehension_try_per_number"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id}: try {self.number}"
