"""Channels that need no account: invite links and external panels."""

from django.db import models
from django.db.models import Q

from mturk_local.ids import entity_id
from mturk_local.models.workers import Worker


class Invite(models.Model):
    """A link for one person, who needs no account. It ends on its own and can be revoked."""

    invite_id = models.CharField(max_length=64, unique=True, default=entity_id)
    worker = models.OneToOneField(Worker, on_delete=models.PROTECT, related_name="invite")
    note = models.CharField(max_length=200, blank=True, help_text="Whom it was made for.")
    expires_at = models.DateTimeField()
    revoked_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.note or self.invite_id


class Panel(models.Model):
    """A study on an external panel: how participants are identified, and what ends their visit.

    The names of the address's parameters differ: Prolific sends `PROLIFIC_PID`, `STUDY_ID` and
    `SESSION_ID`, others `participantId`, `assignmentId`, `projectId` or `id`.
    """

    slug = models.SlugField(unique=True)
    provider = models.CharField(
        max_length=50, help_text="Participants of one provider are the same persons everywhere."
    )
    participant_parameter = models.CharField(max_length=50, default="PROLIFIC_PID")
    study_parameter = models.CharField(max_length=50, default="STUDY_ID")
    session_parameter = models.CharField(max_length=50, default="SESSION_ID")
    keys_url = models.URLField(
        blank=True,
        help_text="Where the panel's public keys are, if it signs its links.",
    )
    audience = models.CharField(
        max_length=200,
        blank=True,
        help_text="The domain that signed links must be made for.",
    )
    token_parameter = models.CharField(max_length=50, default="prolific_token")
    token_claim = models.CharField(max_length=50, default="prolific")
    hit_group_id = models.CharField(
        max_length=64, blank=True, help_text="The only group of HITs that is offered; empty: any."
    )
    tasks_per_visit = models.PositiveIntegerField(default=1)
    completion_code = models.CharField(max_length=50)
    completion_url = models.URLField(blank=True)
    screen_out_code = models.CharField(max_length=50, blank=True)
    screen_out_url = models.URLField(blank=True)
    no_consent_code = models.CharField(max_length=50, blank=True)
    no_consent_url = models.URLField(blank=True)
    withdrawal_code = models.CharField(max_length=50, blank=True)
    withdrawal_url = models.URLField(blank=True)
    active = models.BooleanField(default=True)
    unfilled = models.CharField(
        max_length=60,
        blank=True,
        help_text="What its link said last in the place of an id; empty once it names somebody.",
    )

    class Meta:
        ordering = ("slug",)
        constraints = [
            models.CheckConstraint(
                condition=Q(tasks_per_visit__gte=1), name="crowd_panel_asks_for_something"
            ),
            models.CheckConstraint(
                condition=Q(keys_url="") | ~Q(audience=""),
                name="crowd_signed_links_are_for_somebody",
            ),
        ]

    def __str__(self) -> str:
        return self.slug


class PanelKeys(models.Model):
    """A panel's public keys (a JSON web key set), as last fetched."""

    url = models.URLField(unique=True)
    keys = models.JSONField(default=dict)
    fetched_at = models.DateTimeField(null=True, blank=True)
    tried_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.url


class UsedLink(models.Model):
    """A signed link and the browser that opened it first; forgotten when the link has expired."""

    digest = models.CharField(max_length=64, unique=True)
    browser = models.CharField(max_length=64, help_text="SHA-256 of its cookie.")
    expires_at = models.DateTimeField(db_index=True)

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.digest


class VisitState(models.TextChoices):
    OPEN = "open", "Working"
    COMPLETED = "completed", "Completed"
    DECLINED = "declined", "Did not agree"
    WITHDRAWN = "withdrawn", "Withdrawn"


class PanelVisit(models.Model):
    """One participant's session in a panel's study."""

    panel = models.ForeignKey(Panel, on_delete=models.PROTECT, related_name="visits")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="visits")
    study = models.CharField(max_length=200, blank=True)
    session = models.CharField(max_length=200, blank=True)
    state = models.CharField(max_length=12, choices=VisitState, default=VisitState.OPEN)
    started_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["panel", "worker", "study", "session"], name="crowd_visit_once_per_session"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker} in {self.panel}"

    @property
    def way_out(self) -> tuple[str, str]:
        """The code and the address with which the participant goes back to the panel."""
        panel = self.panel
        match self.state:
            case VisitState.COMPLETED:
                return panel.completion_code, panel.completion_url
            case VisitState.DECLINED:
                return panel.no_consent_code, panel.no_consent_url
            case VisitState.WITHDRAWN:
                return panel.withdrawal_code, panel.withdrawal_url
        return panel.screen_out_code, panel.screen_out_url
