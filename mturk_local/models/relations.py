"""Between a requester and a worker, beside the work: blocks, bonuses, messages, withdrawals."""

from django.db import models
from django.db.models import Q

from mturk_local.ids import entity_id
from mturk_local.models.assignments import Assignment
from mturk_local.models.hits import HIT
from mturk_local.models.requesters import Requester
from mturk_local.models.workers import Worker


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
    """A message to a worker by a requester, or by the service on a requester's behalf."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="messages")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="messages")
    subject = models.CharField(max_length=200)
    text = models.TextField()
    sent_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)

    def __str__(self) -> str:
        return self.subject


class Inquiry(models.Model):
    """A worker's question to the requester of a HIT, and the one answer."""

    LONGEST = 2_000

    inquiry_id = models.CharField(max_length=64, unique=True, default=entity_id)
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="inquiries")
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="inquiries")
    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="inquiries")
    text = models.TextField(max_length=LONGEST)
    asked_at = models.DateTimeField()
    answer = models.TextField(max_length=LONGEST, blank=True, default="")
    answered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = [
            models.CheckConstraint(
                condition=Q(answer="", answered_at=None)
                | (~Q(answer="") & Q(answered_at__isnull=False)),
                name="crowd_inquiry_answered_once",
            ),
        ]

    def __str__(self) -> str:
        return self.inquiry_id


class Withdrawal(models.Model):
    """An answer that its worker withdrew or, without `assignment_id`, a worker who was erased.

    Only ids: nothing here leads to an erased person, but a requester may still hold data about the
    id.
    """

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="withdrawals")
    worker_id = models.CharField(max_length=64)
    assignment_id = models.CharField(max_length=64, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "worker_id", "assignment_id"], name="crowd_withdrawn_once"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker_id}: {self.assignment_id or 'everything'}"
