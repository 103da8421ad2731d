"""What was decided about workers of a batch."""

from django.db import models
from django.db.models import Q

from annotation.models.assignments import Worker
from annotation.models.batches import Batch


class SetAsideQuerySet(models.QuerySet["SetAsideWorker"]):
    def active(self) -> "SetAsideQuerySet":
        """Decisions that hold."""
        return self.filter(brought_back_at=None)


class SetAsideWorker(models.Model):
    """A worker whose votes in one batch do not count, from `at` until `brought_back_at`.

    Votes are never deleted: whoever is brought back counts again, and the rows tell the history.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="set_aside_workers")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="set_asides")
    reason = models.TextField()
    by = models.CharField(max_length=150, help_text="User name, or the command that did it.")
    at = models.DateTimeField(auto_now_add=True)
    brought_back_by = models.CharField(max_length=150, blank=True)
    brought_back_at = models.DateTimeField(null=True, blank=True)

    objects = SetAsideQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker"],
                condition=Q(brought_back_at__isnull=True),
                name="worker_set_aside_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} in {self.batch_id}"


class KeptOutQuerySet(models.QuerySet["KeptOutWorker"]):
    def active(self) -> "KeptOutQuerySet":
        """Decisions that hold."""
        return self.filter(let_in_at=None)


class KeptOutWorker(models.Model):
    """A worker who gets no further HIT of one batch, from `at` until `let_in_at`.

    What the worker has answered is paid and counts: that is a matter of its own. The crowd is told
    afterwards, by a qualification; `told_at` is empty until it knows of the latest decision.
    """

    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="kept_out_workers")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="kept_outs")
    reason = models.TextField()
    by = models.CharField(max_length=150, help_text="User name, or the command that did it.")
    at = models.DateTimeField(auto_now_add=True)
    let_in_by = models.CharField(max_length=150, blank=True)
    let_in_at = models.DateTimeField(null=True, blank=True)
    told_at = models.DateTimeField(null=True, blank=True)

    objects = KeptOutQuerySet.as_manager()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["batch", "worker"],
                condition=Q(let_in_at__isnull=True),
                name="worker_kept_out_once_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id} out of {self.batch_id}"
