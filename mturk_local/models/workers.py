"""Workers and their sign-ins."""

from django.contrib.auth.hashers import check_password, make_password
from django.db import models
from django.db.models import Q

from mturk_local.ids import worker_id


class EntryChannel(models.TextChoices):
    """The channel by which a worker came in."""

    ACCOUNT = "account", "Account"
    INVITE = "invite", "Invite link"
    PANEL = "panel", "External panel"
    MEMBER = "member", "Member of a requester's site"
    SIMULATED = "simulated", "Simulation"


class Verification(models.TextChoices):
    """Proof of a worker's identity. Only participants of panels need one."""

    VERIFIED = "verified", "Verified"
    WAITING = "waiting", "Waits for the panel's list"
    REFUSED = "refused", "Not approved by the panel"


class Worker(models.Model):
    """An annotator, known to requesters by `worker_id` alone.

    `person` identifies the person: two workers of one person, who came by two channels, count as
    one where answers are counted. `session` is raised to end every session of the worker at once,
    e.g. when the password changes. A participant of a panel belongs to the `browser` that came
    first, or that brought the panel's signature.
    """

    worker_id = models.CharField(max_length=64, unique=True, default=worker_id)
    person = models.CharField(max_length=200, db_index=True)
    entry_channel = models.CharField(max_length=10, choices=EntryChannel)
    username = models.CharField(max_length=150, unique=True, null=True, blank=True)
    password = models.CharField(max_length=256, blank=True)
    verification = models.CharField(
        max_length=8, choices=Verification, default=Verification.VERIFIED
    )
    browser = models.CharField(max_length=64, blank=True, help_text="SHA-256 of its cookie.")
    country = models.CharField(max_length=2, blank=True)
    subdivision = models.CharField(max_length=2, blank=True)
    adult = models.BooleanField(default=False, help_text="Agreed to see adult content.")
    masters = models.BooleanField(default=False)
    invited_to = models.JSONField(
        null=True,
        blank=True,
        help_text="Numbers of requesters, each with the beginning of an annotation: the worker is "
        "offered the HITs of these alone. Null: any HIT.",
    )
    valid_until = models.DateTimeField(null=True, blank=True)
    failed_sign_ins = models.PositiveIntegerField(default=0)
    last_failed_at = models.DateTimeField(null=True, blank=True)
    active = models.BooleanField(default=True)
    session = models.PositiveIntegerField(default=0)
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["person"],
                condition=Q(entry_channel=EntryChannel.PANEL),
                name="crowd_participant_once",
            ),
            models.UniqueConstraint(
                fields=["person"],
                condition=Q(entry_channel=EntryChannel.MEMBER),
                name="crowd_member_once",
            ),
            models.CheckConstraint(condition=~Q(person=""), name="crowd_worker_is_a_person"),
            models.CheckConstraint(
                condition=~Q(entry_channel=EntryChannel.ACCOUNT) | Q(username__isnull=False),
                name="crowd_account_has_username",
            ),
            models.CheckConstraint(
                condition=Q(entry_channel=EntryChannel.SIMULATED, worker_id__startswith="ASIM")
                | (~Q(entry_channel=EntryChannel.SIMULATED) & ~Q(worker_id__startswith="ASIM")),
                name="crowd_simulated_ids_are_marked",
            ),
            models.CheckConstraint(
                condition=Q(entry_channel=EntryChannel.PANEL, worker_id__startswith="APANEL")
                | (~Q(entry_channel=EntryChannel.PANEL) & ~Q(worker_id__startswith="APANEL")),
                name="crowd_participants_ids_are_theirs",
            ),
            models.CheckConstraint(
                condition=Q(entry_channel=EntryChannel.PANEL)
                | Q(verification=Verification.VERIFIED),
                name="crowd_only_participants_need_proof",
            ),
        ]

    def __str__(self) -> str:
        return self.worker_id

    def set_password(self, raw: str) -> None:
        self.password = make_password(raw)

    def check_password(self, raw: str) -> bool:
        return check_password(raw, self.password, self._renew_password)

    def _renew_password(self, raw: str) -> None:
        """Hash the password again, as an earlier release stored it."""
        self.set_password(raw)
        self.save(update_fields=["password"])


class SignInFailures(models.Model):
    """Failed sign-ins from one address since `started_at`, under all names."""

    address = models.CharField(max_length=64, unique=True, help_text="A keyed digest of it.")
    count = models.PositiveIntegerField(default=0)
    started_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return f"{self.count} since {self.started_at}"
