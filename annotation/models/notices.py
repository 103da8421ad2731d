"""Notices about batches, sent by e-mail."""

from django.db import models

from annotation.models.batches import Batch


class Notice(models.Model):
    """An event of a batch for which mail was sent, or is being sent.

    The row is deleted when the batch continues, so that the same event is announced again. It names
    nobody, and exists also without recipients.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="notice")
    event = models.CharField(max_length=20, help_text="Name of what happened.")
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.batch_id}: {self.event}"
