"""Notices about batches, sent by e-mail."""

from django.db import models

from annotation.models.batches import Batch
from annotation.vocabulary import BatchEvent


class Notice(models.Model):
    """The event that a batch has come to, of which people were told, or are being told just now.

    The row goes when the batch goes on, so that people hear of the same event when it comes again.
    It names no one, and is there also where there was nobody to tell.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="notice")
    event = models.CharField(max_length=20, choices=BatchEvent)
    at = models.DateTimeField(auto_now_add=True)

    def __str__(self) -> str:
        return f"{self.batch_id}: {self.event}"
