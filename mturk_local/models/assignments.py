"""Assignments."""

from datetime import datetime, timedelta

from django.db import models
from django.db.models import Q

from mturk_local.models.hits import HIT
from mturk_local.models.workers import Worker


class AssignmentState(models.TextChoices):
    ACCEPTED = "Accepted"
    SUBMITTED = "Submitted"
    APPROVED = "Approved"
    REJECTED = "Rejected"
    RETURNED = "Returned"
    ABANDONED = "Abandoned"
    WITHDRAWN = "Withdrawn"


#: States in which an assignment takes up a slot of its HIT; only the first can end.
LIVE_STATES = (
    AssignmentState.ACCEPTED,
    AssignmentState.SUBMITTED,
    AssignmentState.APPROVED,
    AssignmentState.REJECTED,
)

#: A person who has one of these at a HIT is not offered it again.
DONE_STATES = (*LIVE_STATES, AssignmentState.WITHDRAWN)


class Assignment(models.Model):
    """A worker's attempt at a HIT; never deleted.

    As on Amazon, the id of a returned or abandoned assignment may be given to another worker later:
    it is unique among the assignments that take up a slot. The slot is held until `deadline`, which
    is soon for a task that started automatically (see `lifecycle.holding`).
    """

    assignment_id = models.CharField(max_length=64)
    hit = models.ForeignKey(HIT, on_delete=models.CASCADE, related_name="assignments")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="assignments")
    person = models.CharField(max_length=200, help_text="Of the worker, when it was accepted.")
    state = models.CharField(
        max_length=10, choices=AssignmentState, default=AssignmentState.ACCEPTED
    )
    accepted_at = models.DateTimeField()
    deadline = models.DateTimeField()
    ended_at = models.DateTimeField(null=True, blank=True, help_text="Returned or abandoned.")
    submitted_at = models.DateTimeField(null=True, blank=True)
    auto_approval_at = models.DateTimeField(null=True, blank=True)
    approved_at = models.DateTimeField(null=True, blank=True)
    rejected_at = models.DateTimeField(null=True, blank=True)
    answer = models.TextField(blank=True, help_text="QuestionFormAnswers, as it goes out.")
    feedback = models.TextField(blank=True)

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["hit", "worker"],
                condition=Q(state__in=LIVE_STATES),
                name="crowd_one_assignment_per_hit_worker",
            ),
            # One person, whichever channels they came in by.
            models.UniqueConstraint(
                fields=["hit", "person"],
                condition=Q(state__in=LIVE_STATES),
                name="crowd_one_assignment_per_hit_person",
            ),
            models.UniqueConstraint(
                fields=["assignment_id"],
                condition=Q(state__in=LIVE_STATES),
                name="crowd_assignment_id_in_use_once",
            ),
            models.CheckConstraint(
                condition=~Q(state__in=("Submitted", "Approved", "Rejected"))
                | Q(submitted_at__isnull=False, auto_approval_at__isnull=False),
                name="crowd_submitted_has_its_time",
            ),
        ]
        indexes = [
            models.Index(fields=["assignment_id"], name="crowd_assignment_by_id"),
            models.Index(fields=["hit", "state", "id"], name="crowd_assignment_by_hit"),
            models.Index(
                fields=["deadline"], condition=Q(state="Accepted"), name="crowd_to_abandon"
            ),
            models.Index(
                fields=["auto_approval_at"], condition=Q(state="Submitted"), name="crowd_to_approve"
            ),
        ]

    def __str__(self) -> str:
        return self.assignment_id

    @property
    def last_moment(self) -> datetime:
        """The end of the time that the HIT gives."""
        return self.accepted_at + timedelta(seconds=self.hit.hit_type.assignment_duration)
