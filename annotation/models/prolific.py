"""Recruiting on Prolific: its studies, submissions and bonuses as we know them, and its events.

Money is in cents of US dollars, as at Prolific. Participants have pseudonyms: their ids stay with
Prolific and with the crowd service.
"""

from django.db import models
from django.db.models import F, Q

from annotation.models.batches import Batch
from annotation.vocabulary import LONGEST_USERNAME, BonusSetState


class ProlificWorkspace(models.Model):
    """A workspace that pays for studies, and the token that opens it. `token` is encrypted."""

    workspace_id = models.CharField(max_length=24, unique=True)
    title = models.CharField(max_length=200)
    address = models.CharField(max_length=200, help_text="Prolific, or a rehearsal's address.")
    currency = models.CharField(max_length=3)
    token = models.TextField(help_text="Encrypted; see annotation.prolific.tokens.")
    hook_secret = models.TextField(
        blank=True,
        help_text="Encrypted; signs the events that Prolific sends. Empty: it was never read.",
    )
    is_told = models.BooleanField(
        default=False,
        db_default=False,
        help_text="Whether Prolific sends events here, as far as it was read.",
    )
    n_refused = models.PositiveIntegerField(
        default=0,
        db_default=0,
        help_text="Rightly formed events refused since the last genuine one.",
    )
    refused_at = models.DateTimeField(
        null=True, blank=True, help_text="When that was last looked into."
    )
    refused_told_at = models.DateTimeField(
        null=True, blank=True, help_text="When members were last told of it."
    )
    caught_up_at = models.DateTimeField(
        null=True, blank=True, help_text="When its list of events was read last."
    )
    stored_by = models.CharField(max_length=LONGEST_USERNAME)
    stored_at = models.DateTimeField(auto_now=True)

    class Meta:
        ordering = ("title", "id")

    def __str__(self) -> str:
        return self.title


class ProlificStudy(models.Model):
    """The study of a batch at Prolific; also the line of the ledger for what it costs.

    The row is committed before the study is asked for, so that after a lost answer it is found
    again by `internal_name`, and never asked for twice.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="prolific_study")
    workspace = models.ForeignKey(
        ProlificWorkspace, on_delete=models.PROTECT, related_name="studies"
    )
    internal_name = models.CharField(
        max_length=100, unique=True, help_text="Finds the study again; also its metadata."
    )
    study_id = models.CharField(max_length=24, null=True, blank=True, unique=True)
    status = models.CharField(
        max_length=20, blank=True, help_text="In Prolific's words, as read last; empty: no study."
    )
    codes = models.JSONField(default=dict, help_text="Completion codes by what they say.")
    filters = models.JSONField(
        default=list, help_text="Who may take part, as Prolific takes it; empty: everybody there."
    )
    devices = models.JSONField(default=list, help_text="Kinds of devices that may take part.")
    channel_id = models.CharField(
        max_length=64, blank=True, help_text="The panel address at the crowd service."
    )
    hits = models.PositiveSmallIntegerField(default=1, help_text="HITs of one participant.")
    minutes = models.PositiveSmallIntegerField(help_text="Estimated time of one participant.")
    reward = models.PositiveIntegerField(help_text="Cents of one participant, without fees.")
    places = models.PositiveIntegerField(help_text="Participants paid for or being paid for.")
    total_cost = models.PositiveIntegerField(help_text="Cents of all places, fees included.")
    fees_committed = models.PositiveIntegerField(
        default=0,
        help_text="Cents held of the budgets beside what the HITs hold; before Prolific is asked.",
    )
    read_at = models.DateTimeField(null=True, blank=True, help_text="When its people were read.")
    draft_asked_at = models.DateTimeField(
        null=True, blank=True, help_text="Since when somebody finds or makes the draft; else empty."
    )
    group_asked_at = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when somebody finds or makes the group of its participants; else empty.",
    )
    changing_since = models.DateTimeField(
        null=True,
        blank=True,
        help_text="Since when somebody publishes it or adds places; else empty.",
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        ordering = ("-created_at", "id")
        constraints = [
            models.CheckConstraint(
                condition=Q(hits__gte=1) & Q(minutes__gte=1) & Q(reward__gte=1) & Q(places__gte=1),
                name="prolific_study_offers_something",
            ),
            models.CheckConstraint(
                condition=Q(total_cost__gte=F("reward") * F("places")),
                name="prolific_cost_covers_rewards",
            ),
            models.CheckConstraint(
                condition=Q(status="") | Q(study_id__isnull=False),
                name="prolific_status_of_a_study",
            ),
        ]

    def __str__(self) -> str:
        return self.internal_name

    def finished_submissions(self) -> "models.QuerySet[ProlificSubmission]":
        """Submissions of people who answered everything.

        Our completion code says so; where the Task Builder asks, whoever has handed in.
        """
        if self.batch.uses_task_builder:
            return self.submissions.exclude(completed_at=None)
        return self.submissions.filter(code=self.codes.get("completed", "-"))


class ProlificTasks(models.Model):
    """Questions of a batch at Prolific's Task Builder, which asks them without this site.

    Each id is stored as soon as it is known. The batch there is found again by its name; a data set
    is not, and one whose id was lost stays unused.
    """

    batch = models.OneToOneField(Batch, on_delete=models.CASCADE, related_name="prolific_tasks")
    workspace = models.ForeignKey(ProlificWorkspace, on_delete=models.PROTECT, related_name="tasks")
    name = models.CharField(max_length=100, unique=True, help_text="Finds the batch there again.")
    dataset_id = models.CharField(max_length=36, blank=True)
    import_id = models.CharField(max_length=36, blank=True, help_text="Of the one upload.")
    upload_url = models.TextField(blank=True, help_text="Where the file goes, for an hour.")
    upload_type = models.CharField(max_length=100, blank=True)
    place_at = models.DateTimeField(
        null=True, blank=True, help_text="When the place for the file was given."
    )
    tasks_id = models.CharField(max_length=36, blank=True, help_text="Of the batch there.")
    set_up_at = models.DateTimeField(
        null=True, blank=True, help_text="When its tasks were asked for, before the answer."
    )
    is_ready = models.BooleanField(default=False, help_text="Whether a study can show them.")
    working_since = models.DateTimeField(
        null=True, blank=True, help_text="Since when somebody makes it; else empty."
    )
    created_at = models.DateTimeField(auto_now_add=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(is_ready=False) | ~Q(tasks_id=""), name="ready_tasks_have_their_id"
            ),
        ]

    def __str__(self) -> str:
        return self.name


class ProlificSubmission(models.Model):
    """One participant's submission, as last read from Prolific."""

    study = models.ForeignKey(ProlificStudy, on_delete=models.CASCADE, related_name="submissions")
    submission_id = models.CharField(max_length=24, unique=True)
    participant = models.CharField(max_length=64, help_text="Pseudonym.")
    status = models.CharField(max_length=20, help_text="In Prolific's words.")
    code = models.CharField(max_length=100, blank=True, help_text="The code that was entered.")
    started_at = models.DateTimeField(null=True, blank=True)
    completed_at = models.DateTimeField(null=True, blank=True)
    approved_by = models.CharField(
        max_length=LONGEST_USERNAME,
        blank=True,
        help_text="Who wants it approved; seen in its status later.",
    )
    read_at = models.DateTimeField(help_text="When Prolific said so.")

    class Meta:
        ordering = ("started_at", "id")
        constraints = [
            models.CheckConstraint(
                condition=~Q(submission_id="") & ~Q(status=""),
                name="prolific_submission_is_known",
            ),
        ]

    def __str__(self) -> str:
        return self.submission_id


class ProlificBonusSet(models.Model):
    """Bonuses of one study for one reason: two steps there, and paying twice pays twice.

    `set_id` is stored before anything is paid, and `paying` is committed before the one call that
    pays. With an unknown outcome a set is uncertain, and never sent again.
    """

    study = models.ForeignKey(ProlificStudy, on_delete=models.PROTECT, related_name="bonus_sets")
    reason = models.CharField(max_length=200)
    state = models.CharField(max_length=10, choices=BonusSetState, default=BonusSetState.PLANNED)
    set_id = models.CharField(max_length=24, null=True, blank=True, unique=True)
    amount = models.PositiveIntegerField(help_text="Cents, without fees.")
    total = models.PositiveIntegerField(help_text="Cents, fees and taxes included.")
    committed = models.PositiveIntegerField(
        default=0, help_text="Cents held of the budgets, from before the call that pays."
    )
    planned_by = models.CharField(max_length=LONGEST_USERNAME)
    planned_at = models.DateTimeField(auto_now_add=True)
    paying_at = models.DateTimeField(null=True, blank=True)
    decided_by = models.CharField(
        max_length=LONGEST_USERNAME,
        blank=True,
        help_text="Who decided what became of an uncertain one.",
    )

    class Meta:
        ordering = ("planned_at", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["study", "reason"],
                condition=~Q(state=BonusSetState.NOT_PAID),
                name="one_bonus_set_per_study_and_reason",
            ),
            models.CheckConstraint(
                condition=Q(state__in=BonusSetState.values), name="bonus_set_in_known_state"
            ),
            models.CheckConstraint(
                condition=Q(state=BonusSetState.PLANNED) | Q(set_id__isnull=False),
                name="bonus_set_has_its_id",
            ),
            models.CheckConstraint(
                condition=Q(state__in=(BonusSetState.PLANNED, BonusSetState.SET_UP))
                | Q(paying_at__isnull=False),
                name="bonus_set_paid_at_a_moment",
            ),
            models.CheckConstraint(
                condition=Q(amount__gt=0) & Q(total__gte=F("amount")),
                name="bonus_set_is_something",
            ),
            models.CheckConstraint(
                condition=Q(committed=F("total"))
                | Q(
                    committed=0,
                    state__in=(
                        BonusSetState.PLANNED,
                        BonusSetState.SET_UP,
                        BonusSetState.NOT_PAID,
                    ),
                ),
                name="bonus_set_is_held_while_it_may_be_paid",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.study}: {self.reason}"


class ProlificBonus(models.Model):
    """One submission's line of a set of bonuses."""

    bonus_set = models.ForeignKey(ProlificBonusSet, on_delete=models.CASCADE, related_name="lines")
    submission = models.ForeignKey(
        ProlificSubmission, on_delete=models.PROTECT, related_name="bonuses"
    )
    amount = models.PositiveIntegerField(help_text="Cents, without fees.")
    listed_before = models.PositiveSmallIntegerField(
        default=0, help_text="Bonuses of this amount that the submission had before it was paid."
    )
    is_listed = models.BooleanField(default=False, help_text="Whether Prolific lists it as paid.")

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["bonus_set", "submission"], name="one_bonus_per_set_and_submission"
            ),
            models.CheckConstraint(condition=Q(amount__gt=0), name="prolific_bonus_is_something"),
        ]

    def __str__(self) -> str:
        return f"{self.amount} cents for {self.submission}"


class ProlificEvent(models.Model):
    """A message of Prolific, kept to recognise repetitions. It is a hint: the study is read."""

    workspace = models.ForeignKey(
        ProlificWorkspace, on_delete=models.CASCADE, related_name="events"
    )
    study = models.ForeignKey(
        ProlificStudy,
        null=True,
        blank=True,
        on_delete=models.CASCADE,
        related_name="events",
        help_text="Whom it is about; none before its submission was read.",
    )
    event_id = models.CharField(max_length=100)
    event_type = models.CharField(max_length=100)
    resource_id = models.CharField(max_length=24)
    sent_at = models.DateTimeField(help_text="By Prolific's clock: the order of events.")
    received_at = models.DateTimeField(auto_now_add=True)
    worked_off_at = models.DateTimeField(null=True, blank=True)

    class Meta:
        ordering = ("sent_at", "id")
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "event_id"], name="prolific_event_is_there_once"
            ),
            models.CheckConstraint(
                condition=~Q(event_id=""), name="prolific_event_can_be_known_again"
            ),
        ]

    def __str__(self) -> str:
        return self.event_id
