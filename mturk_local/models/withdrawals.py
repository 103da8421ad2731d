"""Withdrawals of annotators, for their requesters."""

from django.db import models

from mturk_local.models.requesters import Requester


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
