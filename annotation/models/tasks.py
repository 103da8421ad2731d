"""Long work in the background. These rows are the truth; a broker only wakes workers."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now
from django.utils import timezone

from annotation.models.assignments import Assignment
from annotation.models.batches import Batch
from annotation.models.studies import Study
from annotation.vocabulary import LONGEST_USERNAME, TaskKind, TaskState

#: A task in one of these states is still to be done.
LIVE_STATES = (TaskState.QUEUED, TaskState.RUNNING)


class Task(models.Model):
    """One piece of long work, with its worker and outcome.

    The worker holds a `claim` until `lease_until`, and prolongs that while at work. When the lease
    expires, the worker is dead and any other may take the task: every kind of task may be repeated
    without doubling anything.
    """

    kind = models.CharField(max_length=20, choices=TaskKind)
    batch = models.ForeignKey(
        Batch, null=True, blank=True, on_delete=models.CASCADE, related_name="tasks"
    )
    study = models.ForeignKey(
        Study,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tasks",
        help_text="Of a task that is about a study as a whole, which then has no batch.",
    )
    assignment = models.ForeignKey(
        Assignment,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="tasks",
        help_text="Of a task that is about one answer of its batch.",
    )
    arguments = models.JSONField(default=dict)
    consent = models.JSONField(
        default=dict,
        help_text="What somebody agreed to pay: see annotation.core.consent.",
    )
    version = models.TextField(
        blank=True,
        help_text="Of what somebody saw when they decided: see annotation.core.versions.",
    )
    requested_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        null=True,
        blank=True,
        db_constraint=False,
        on_delete=models.DO_NOTHING,
        related_name="+",
        help_text="Whose permission counts when it is done; none for the command line. The number "
        "stays when the account is deleted.",
    )
    actor = models.CharField(
        max_length=LONGEST_USERNAME, help_text="User name, or the command that asked."
    )
    state = models.CharField(max_length=10, choices=TaskState, default=TaskState.QUEUED)
    done = models.PositiveIntegerField(default=0, help_text="Units of work done in this attempt.")
    total = models.PositiveIntegerField(null=True, blank=True, help_text="Units to do, if known.")
    result = models.JSONField(default=dict)
    error = models.TextField(blank=True, help_text="Why it failed or waits, for a person.")
    cancel_requested = models.BooleanField(default=False)
    attempts = models.PositiveSmallIntegerField(default=0, help_text="How often it was begun.")
    crash_count = models.PositiveSmallIntegerField(
        default=0,
        help_text="Attempts of which nothing was heard again.",
    )
    has_acted = models.BooleanField(
        default=False,
        help_text="Whether an attempt came as far as to act, so that the next finds what it did.",
    )
    run_after = models.DateTimeField(db_default=Now(), help_text="Not to be started before.")
    claim = models.UUIDField(null=True, blank=True, unique=True)
    worker = models.CharField(max_length=150, blank=True, help_text="host:process of the claim.")
    lease_until = models.DateTimeField(null=True, blank=True)
    lease = models.DurationField(
        null=True,
        blank=True,
        help_text="How long the holder may stay silent, by its own settings.",
    )
    created_at = models.DateTimeField(auto_now_add=True)
    started_at = models.DateTimeField(null=True, blank=True)
    finished_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("-id",)
        constraints = [
            models.UniqueConstraint(
                fields=["kind", "batch"],
                condition=Q(state__in=LIVE_STATES, assignment__isnull=True),
                name="one_live_task_per_kind_and_batch",
            ),
            models.UniqueConstraint(
                fields=["kind", "assignment"],
                condition=Q(state__in=LIVE_STATES),
                name="one_live_task_per_kind_and_answer",
            ),
            models.UniqueConstraint(
                fields=["kind", "study"],
                condition=Q(state__in=LIVE_STATES),
                name="one_live_task_per_kind_and_study",
            ),
            models.CheckConstraint(
                condition=Q(batch__isnull=False, study__isnull=True)
                | Q(batch__isnull=True, study__isnull=False),
                name="task_of_one_subject",
            ),
            models.CheckConstraint(
                condition=Q(assignment__isnull=True) | Q(batch__isnull=False),
                name="task_of_an_answer_has_its_batch",
            ),
            models.CheckConstraint(
                condition=Q(kind__in=TaskKind.values), name="task_of_a_known_kind"
            ),
            models.CheckConstraint(
                condition=Q(state=TaskState.RUNNING, claim__isnull=False, lease_until__isnull=False)
                | (~Q(state=TaskState.RUNNING) & Q(claim__isnull=True)),
                name="task_claimed_while_running",
            ),
            models.CheckConstraint(
                condition=Q(state__in=LIVE_STATES, finished_at__isnull=True)
                | (~Q(state__in=LIVE_STATES) & Q(finished_at__isnull=False)),
                name="task_finished_has_its_time",
            ),
        ]
        indexes = [
            models.Index(
                fields=["run_after", "id"],
                condition=Q(state__in=LIVE_STATES),
                name="task_to_be_done",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.batch_id or self.study_id}"

    @property
    def failures(self) -> int:
        """Attempts that ended with an error, counting the one in hand."""
        return self.attempts - self.crash_count

    @property
    def seconds_left(self) -> float | None:
        """Estimated seconds to the end at the pace of this attempt; None while that is unknown."""
        if self.state != TaskState.RUNNING or not (self.started_at and self.total and self.done):
            return None
        gone = (timezone.now() - self.started_at).total_seconds()
        return gone * max(self.total - self.done, 0) / self.done

    @property
    def about(self) -> Study | Batch | Assignment:
        """The object of its operation."""
        # There always is one: `task_of_one_subject`.
        return self.assignment or self.batch or self.study  # type: ignore[return-value]

    @property
    def subject(self) -> str:
        """The name of the batch or study that it is about."""
        return str(self.batch or self.study)
