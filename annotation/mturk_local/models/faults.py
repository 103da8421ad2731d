"""Faults that a rehearsal orders, so that a client can be seen to survive them."""

from django.db import models
from django.db.models import Q

from annotation.mturk_local.models.requesters import KeyPair


class FaultKind(models.TextChoices):
    """What goes wrong. The first four happen instead of the operation, the others after it."""

    THROTTLE = "throttle", "HTTP 400 ThrottlingException"
    SERVICE_FAULT = "service_fault", "HTTP 500 ServiceFault"
    UNAVAILABLE = "unavailable", "HTTP 503 with a page of HTML"
    REFUSE = "refuse", "a refusal of one's own choice"
    LOST_REPLY = "lost_reply", "the operation is carried out, its reply is lost"
    TRUNCATED = "truncated", "HTTP 200 with half of the JSON"
    EMPTY = "empty", "HTTP 200 with an empty JSON object"
    DELAY = "delay", "the reply comes late"
    DUPLICATE_ITEMS = "duplicate_items", "a page of a list holds its first item twice"
    SAME_TOKEN = "same_token", "a page of a list comes with the token that asked for it"


class Fault(models.Model):
    """An order: of the calls of one key (of one operation, or any), which go wrong and how.

    The first `skip` calls pass; then each one is hit with probability `chance` until `times` were.
    Chance is drawn from the fault's own number and the call's, so a rehearsal can be repeated.
    """

    key = models.ForeignKey(KeyPair, on_delete=models.CASCADE, related_name="faults")
    operation = models.CharField(max_length=64, blank=True)
    kind = models.CharField(max_length=20, choices=FaultKind)
    skip = models.PositiveIntegerField(default=0)
    times = models.PositiveIntegerField(default=1)
    chance = models.FloatField(default=1.0)
    detail = models.JSONField(default=dict)
    seen = models.PositiveIntegerField(default=0)
    done = models.PositiveIntegerField(default=0)

    class Meta:
        ordering = ("pk",)
        constraints = [
            models.CheckConstraint(
                condition=Q(chance__gte=0) & Q(chance__lte=1), name="crowd_fault_chance_is_a_share"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} on {self.operation or 'any operation'}"
