"""What was decided about workers of a batch.

Tables and columns keep the names that they had in version 0.1.
"""

from django.db import models
from django.db.models import Q

from annotation.models.assignments import Worker
from annotation.models.batches import Batch


class DiscardedVotesQuerySet(models.QuerySet["DiscardedVotes"]):
    def active(self) -> "DiscardedVotesQuerySet":
        """Decisions that hold."""
        return self.filter(restored_at=None)


class DiscardedVotes(models.Model):
    """A worker whose votes in one batch do not count, from `at` until `restored_at`.

    Votes are never deleted: restored votes count again, and the rows tell the history.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="discarded_votes")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="discarded_votes")
    reason = models.TextField()
    by = models.CharField(max_length=150, help_text="User name, or the command that did it.")
    at = models.DateTimeField(auto_now_add=True)
    restored_by = models.CharField(max_length=150, blank=True, db_column="brought_back_by")
    restored_at = models.DateTimeField(null=True, blank=True, db_column="brought_back_at")

    objects = DiscardedVotesQuerySet.as_manager()

    class Meta:
        db_table = "annotation_setasideworker"
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker"],
                condition=Q(restored_at__isnull=True),
                name="worker_set_aside_once_at_a_time",
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

    What the worker has answered is paid and counts: that is a matter of its own. The crowd is told
    afterwards, by a qualification; `sent_at` is empty until it knows of the latest decision.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="excluded_workers")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="exclusions")
    reason = models.TextField()
    by = models.CharField(max_length=150, help_text="User name, or the command that did it.")
    at = models.DateTimeField(auto_now_add=True)
    readmitted_by = models.CharField(max_length=150, blank=True, db_column="let_in_by")
    readmitted_at = models.DateTimeField(null=True, blank=True, db_column="let_in_at")
    sent_at = models.DateTimeField(null=True, blank=True, db_column="told_at")

    objects = ExcludedWorkerQuerySet.as_manager()

    class Meta:
        db_table = "annotation_keptoutworker"
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker"],
                condition=Q(readmitted_at__isnull=True),
                name="worker_kept_out_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} out of {self.batch_id}"
