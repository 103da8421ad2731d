"""Notifications: subscriptions and deliveries."""

import uuid

from django.db import models
from django.db.models import Q

from mturk_local.models.hits import HITType
from mturk_local.models.requesters import Requester


class NotificationSetting(models.Model):
    """Where the events of a HIT type go."""

    hit_type = models.OneToOneField(HITType, on_delete=models.CASCADE, related_name="notification")
    destination = models.TextField()
    transport = models.CharField(max_length=5)
    version = models.CharField(max_length=20)
    event_types = models.JSONField(default=list)
    active = models.BooleanField(default=False)

    class Meta:
        ordering = ("pk",)

    def __str__(self) -> str:
        return self.destination


class Notification(models.Model):
    """One event to be delivered. The table is the local queue of undelivered ones."""

    document_id = models.UUIDField(default=uuid.uuid4, unique=True)
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="+")
    destination = models.TextField()
    version = models.CharField(max_length=20)
    event = models.JSONField()
    attempts = models.PositiveSmallIntegerField(default=0)
    next_at = models.DateTimeField(
        null=True, blank=True, help_text="When it is posted, or tried again; null in a local queue."
    )
    delivered_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("pk",)
        indexes = [
            models.Index(
                fields=["requester"], condition=Q(delivered_at=None), name="crowd_undelivered"
            ),
            models.Index(fields=["next_at"], condition=Q(delivered_at=None), name="crowd_to_post"),
        ]

    def __str__(self) -> str:
        return str(self.document_id)
