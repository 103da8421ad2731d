"""Withdrawals of annotators, as their requesters are told of them."""

from django.db import models

from mturk_local.models.requesters import Requester


class Withdrawal(models.Model):
    """An answer that its worker withdrew or, without `assignment_id`, a worker who was erased.

    Only ids: who is erased here leads to nobody any more, and a requester may still hold things
    about that id.
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
