"""Channels by which a requester's annotators arrive, and their visits."""

from django.db import models
from django.db.models import F, Q

from mturk_local.ids import entity_id
from mturk_local.models.invites import Panel
from mturk_local.models.requesters import Requester
from mturk_local.models.workers import Worker


class Channel(models.Model):
    """One channel that a requester opened, of one of the kinds in `channels`.

    `reference` says what it recruits for, in the requester's own words. Places are taken by a
    conditional update, so that of two people at the last one, one gets it.
    """

    channel_id = models.CharField(max_length=64, unique=True, default=entity_id)
    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="channels")
    kind = models.CharField(max_length=20, help_text="The name of one of `channels`.")
    reference = models.CharField(max_length=64, help_text="What it recruits for.")
    note = models.CharField(max_length=200, blank=True, help_text="Whom it is for.")
    hit_group_id = models.CharField(
        max_length=64, blank=True, help_text="The group of HITs that people are shown first."
    )
    annotation = models.CharField(
        max_length=255,
        blank=True,
        default="",
        db_default="",
        help_text="Beginning of the annotations of the only HITs on offer; empty: the requester's.",
    )
    asked_by = models.CharField(
        max_length=200,
        blank=True,
        default="",
        db_default="",
        help_text="Who asks, as people read it; empty: the requester.",
    )
    seconds = models.PositiveIntegerField(
        null=True, blank=True, help_text="What a HIT takes, as its pay was reckoned; null: unknown."
    )
    places = models.PositiveIntegerField(null=True, blank=True, help_text="Null: any number.")
    taken = models.PositiveIntegerField(default=0)
    expires_at = models.DateTimeField(null=True, blank=True)
    revoked_at = models.DateTimeField(null=True, blank=True)
    panel = models.OneToOneField(
        Panel, null=True, blank=True, on_delete=models.PROTECT, related_name="channel"
    )
    account = models.OneToOneField(
        Worker, null=True, blank=True, on_delete=models.PROTECT, related_name="channel"
    )
    created_at = models.DateTimeField()

    class Meta:
        ordering = ("-id",)
        constraints = [
            models.CheckConstraint(
                condition=Q(places__isnull=True) | Q(taken__lte=F("places")),
                name="crowd_channel_has_places",
            ),
        ]
        indexes = [
            models.Index(fields=["requester", "reference"], name="crowd_channel_by_reference"),
        ]

    def __str__(self) -> str:
        return self.note or self.channel_id

    @property
    def invited_to(self) -> list[tuple[int, str]]:
        """The HITs that whoever comes in by it is offered, see `Worker.invited_to`."""
        return [(self.requester_id, self.annotation)]


class Arrival(models.Model):
    """A person who came by a link or an account; those of panels are in `PanelVisit`."""

    channel = models.ForeignKey(Channel, on_delete=models.CASCADE, related_name="arrivals")
    worker = models.ForeignKey(Worker, on_delete=models.PROTECT, related_name="arrivals")
    arrived_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)
        constraints = [
            models.UniqueConstraint(
                fields=["channel", "worker"], name="crowd_arrival_once_per_worker"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.worker} by {self.channel}"


class Ticket(models.Model):
    """A sign-in, usable once, for a person whom a requester has signed in."""

    requester = models.ForeignKey(Requester, on_delete=models.CASCADE, related_name="+")
    nonce = models.CharField(max_length=64, unique=True)
    used_at = models.DateTimeField()

    class Meta:
        ordering = ("id",)

    def __str__(self) -> str:
        return self.nonce
