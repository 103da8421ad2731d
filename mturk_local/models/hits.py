"""Tasks: HITs, the types that group them, their notifications and the findings of reviews."""

import uuid

from django.db import models
from django.db.models import F, Q

from mturk_local.ids import entity_id
from mturk_local.models.requesters import Requester


class HITType(models.Model):
    """The terms that HITs of one type share; equal values are one type (`fingerprint`)."""

    hit_type_id = models.CharField(max_length=64, unique=True, default=entity_id)
    hit_group_id = models.CharField(max_length=64, unique=True, default=entity_id)
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="hit_types")
    fingerprint = models.CharField(max_length=64)
    title = models.CharField(max_length=128)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    reward_cents = models.PositiveIntegerField()
    assignment_duration = models.PositiveIntegerField(help_text="Seconds.")
    auto_approval_delay = models.PositiveIntegerField(help_text="Seconds.")
    qualification_requirements = models.JSONField(default=list)
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "fingerprint"], name="crowd_hit_type_once_per_requester"
            ),
        ]

    def __str__(self) -> str:
        return self.title


class HIT(models.Model):
    """One task, to be done by `max_assignments` different workers.

    `open_slots` counts the assignments that nobody has taken. It changes only by conditional
    updates, and the constraint below makes a second acceptance of the last slot impossible.
    Its status is not stored: it follows from the slots, the assignments and the time.
    """

    hit_id = models.CharField(max_length=64, unique=True, default=entity_id)
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="hits")
    hit_type = models.ForeignKey(HITType, on_delete=models.PROTECT, related_name="hits")
    question = models.TextField()
    requester_annotation = models.CharField(max_length=255, blank=True)
    max_assignments = models.PositiveIntegerField()
    open_slots = models.PositiveIntegerField()
    cost_cents = models.PositiveIntegerField(help_text="Reward and fee of one assignment.")
    expiration = models.DateTimeField()
    expired = models.BooleanField(
        default=False, help_text="The expiry has been carried out: open slots hold no money."
    )
    settled = models.BooleanField(
        default=False, help_text="It has become reviewable, and that was acted upon."
    )
    assignment_review_policy = models.JSONField(null=True, blank=True)
    hit_review_policy = models.JSONField(null=True, blank=True)
    reviewing = models.BooleanField(default=False)
    created_at = models.DateTimeField()
    disposed_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = [
            models.CheckConstraint(
                condition=Q(max_assignments__gte=1), name="crowd_hit_has_a_slot"
            ),
            models.CheckConstraint(
                condition=Q(open_slots__lte=F("max_assignments")),
                name="crowd_open_slots_at_most_max",
            ),
        ]
        indexes = [
            models.Index(fields=["requester", "id"], name="crowd_hit_by_requester"),
            models.Index(
                fields=["expired", "expiration"],
                condition=Q(disposed_at=None),
                name="crowd_hit_to_expire",
            ),
            models.Index(
                fields=["hit_type", "id"],
                condition=Q(expired=False, disposed_at=None, open_slots__gt=0),
                name="crowd_hit_to_do",
            ),
        ]

    def __str__(self) -> str:
        return self.hit_id


class PolicyLevel(models.TextChoices):
    ASSIGNMENT = "Assignment"
    HIT = "HIT"


class ReviewResult(models.Model):
    """A finding (`key` and `value`) or an action (`name`, `status`, `result`) of a policy."""

    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="review_results")
    level = models.CharField(max_length=10, choices=PolicyLevel)
    is_action = models.BooleanField(default=False)
    action_id = models.CharField(max_length=64, default=entity_id)
    subject_id = models.CharField(max_length=64)
    subject_type = models.CharField(max_length=20)
    question_id = models.CharField(max_length=200, blank=True)
    key = models.CharField(max_length=64, help_text="Of the finding, or the action's name.")
    value = models.TextField(help_text="Of the finding, or the action's result.")
    succeeded = models.BooleanField(default=True)
    error_code = models.CharField(max_length=100, blank=True)
    at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.key}: {self.value}"


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
