"""Results and actions of review policies."""

from django.db import models

from mturk_local.ids import entity_id
from mturk_local.models.hits import HIT


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
