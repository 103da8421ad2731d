"""What was decided and done, by whom, when. Append only."""

from django.db import models

from annotation.models.batches import Batch


class AuditEvent(models.Model):
    batch = models.ForeignKey(Batch, on_delete=models.CASCADE, related_name="events")
    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(max_length=150, help_text="User name, or the command that did it.")
    action = models.CharField(max_length=50)
    detail = models.JSONField(default=dict)

    class Meta:
        ordering = ("-at", "-id")

    def __str__(self) -> str:
        return f"{self.action} by {self.actor}"
