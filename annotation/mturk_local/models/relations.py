"""What passes between a requester and a worker beside the work: blocks, bonuses, messages."""

from django.db import models
from django.db.models import Q

from annotation.mturk_local.models.assignments import Assignment
from annotation.mturk_local.models.requesters import Requester
from annotation.mturk_local.models.workers import Worker


class Block(models.Model):
    """A worker who may not work for a requester."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="blocks")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="blocks")
    reason = models.TextField()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "worker"], name="crowd_block_once_per_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.requester} blocks {self.worker}"


class Bonus(models.Model):
    """Money beside the reward, for one assignment."""

    assignment = models.ForeignKey(Assignment, on_delete=models.PROTECT, related_name="bonuses")
    amount_cents = models.PositiveIntegerField()
    reason = models.TextField()
    granted_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.CheckConstraint(condition=Q(amount_cents__gt=0), name="crowd_bonus_positive"),
        ]

    def __str__(self) -> str:
        return f"{self.amount_cents} cents for {self.assignment}"


class Message(models.Model):
    """What a requester wrote to a worker, or the service on a requester's behalf."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="messages")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.subject
