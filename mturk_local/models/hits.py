"""Tasks: HITs, and the types that group them."""

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
