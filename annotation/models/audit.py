"""The log: decisions and acts, with actors and times. Append only."""

from django.db import models
from django.db.models import Q

from annotation.models.batches import Batch
from annotation.models.studies import Study
from annotation.vocabulary import LONGEST_USERNAME, AuditAction


class AuditQuerySet(models.QuerySet["AuditEvent"]):
    def about_money(self) -> "AuditQuerySet":
        """Events that changed the amount committed, paid or allowed."""
        limits = Q(action__in=(AuditAction.BATCH_CREATED, AuditAction.BUDGET_CHANGED))
        return self.filter(limits | ~Q(committed=0) | ~Q(paid=0))


class AuditEvent(models.Model):
    batch = models.ForeignKey(
        Batch, null=True, blank=True, on_delete=models.CASCADE, related_name="events"
    )
    study = models.ForeignKey(
        Study, null=True, blank=True, on_delete=models.CASCADE, related_name="events"
    )
    at = models.DateTimeField(auto_now_add=True)
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that did it."
    )
    action = models.CharField(max_length=50)
    detail = models.JSONField(default=dict)
    committed = models.DecimalField(
        max_digits=10,
        decimal_places=2,
        default=0,
        help_text="USD more (or less) that the batch may cost since the event before.",
    )
    paid = models.DecimalField(
        max_digits=10,
        decimal_places=2,
        default=0,
        help_text="USD more that were paid since the event before, fees included.",
    )

    objects = AuditQuerySet.as_manager()

    class Meta:
        ordering = ("-at", "-id")
        constraints = [
            models.CheckConstraint(
                condition=Q(batch__isnull=False) | Q(study__isnull=False),
                name="event_is_about_something",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.action} by {self.actor}"
