"""Qualifications: types, holders and requests."""

from django.db import models
from django.db.models import Q

from mturk_local.ids import entity_id
from mturk_local.models.requesters import Requester
from mturk_local.models.workers import Worker


class QualificationType(models.Model):
    """A property of workers, as a number."""

    qualification_type_id = models.CharField(max_length=64, unique=True, default=entity_id)
    requester = models.ForeignKey(
        Requester, on_delete=models.CASCADE, related_name="qualification_types"
    )
    name = models.CharField(max_length=200)
    description = models.TextField()
    keywords = models.TextField(blank=True)
    active = models.BooleanField(default=True)
    retry_delay = models.PositiveBigIntegerField(
        null=True, blank=True, help_text="Seconds until a worker may ask again; empty: never."
    )
    test = models.TextField(blank=True, help_text="QuestionForm.")
    answer_key = models.TextField(blank=True, help_text="AnswerKey.")
    test_duration = models.PositiveBigIntegerField(null=True, blank=True, help_text="Seconds.")
    auto_granted = models.BooleanField(default=False)
    auto_granted_value = models.IntegerField(default=1)
    created_at = models.DateTimeField()
    deleted_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["requester", "name"],
                condition=Q(deleted_at=None),
                name="crowd_qualification_name_once",
            ),
            models.CheckConstraint(
                condition=Q(auto_granted=False) | Q(test=""),
                name="crowd_auto_granted_has_no_test",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class Qualification(models.Model):
    """A worker's value of a type. A revoked one is kept, with the reason."""

    type = models.ForeignKey(
        QualificationType, on_delete=models.CASCADE, related_name="qualifications"
    )
    worker = models.ForeignKey(Worker, on_delete=models.CASCADE, related_name="qualifications")
    value = models.IntegerField()
    granted = models.BooleanField(default=True)
    granted_at = models.DateTimeField()
    reason = models.TextField(blank=True, help_text="Why it was revoked; the worker sees it.")

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["type", "worker"], name="crowd_qualification_once_per_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker}: {self.type} = {self.value}"


class RequestState(models.TextChoices):
    STARTED = "started", "Test open"
    PENDING = "pending", "Waits for the requester"
    GRANTED = "granted", "Granted"
    REJECTED = "rejected", "Rejected"


class QualificationRequest(models.Model):
    """A worker asks for a qualification, with the answer to its test if it has one."""

    request_id = models.CharField(max_length=64, unique=True, default=entity_id)
    type = models.ForeignKey(QualificationType, on_delete=models.CASCADE, related_name="requests")
    worker = models.ForeignKey(
        Worker, on_delete=models.CASCADE, related_name="qualification_requests"
    )
    state = models.CharField(max_length=10, choices=RequestState)
    answer = models.TextField(blank=True)
    started_at = models.DateTimeField()
    submitted_at = models.DateTimeField(null=True, blank=True)
    reason = models.TextField(blank=True, help_text="Why it was rejected; the worker sees it.")

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["type", "worker"],
                condition=Q(state__in=("started", "pending")),
                name="crowd_one_open_request_per_worker",
            ),
        ]

    def __str__(self) -> str:
        return self.request_id
