"""Invite annotators by a link with places."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.batches.operations.channels import (
    INVITING_STATES,
    batch_reference,
    log_channel,
    made_channel,
)
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_people
from annotation.models import Batch
from annotation.vocabulary import AuditAction


@dataclass(frozen=True, kw_only=True)
class InviteLinkParameters:
    places: int = parameter(
        20, min_value=1, max_value=10_000, label="Places", help_text="So many people may come in."
    )
    days: int = parameter(
        14, min_value=1, max_value=365, label="Days", help_text="Nobody comes in after that."
    )
    note: str = parameter(
        "", max_length=200, allow_blank=True, label="Note", help_text="Whom it is for; optional."
    )


class InviteLink(Operation[Batch, InviteLinkParameters]):
    """A link by which people come to the batch without an account, as many as it has places."""

    name = "invite by link"
    title = "Make a link"
    button = "Make a link"
    subject = Batch
    parameters = InviteLinkParameters
    states = INVITING_STATES

    def run(self, subject: Batch, parameters: InviteLinkParameters, run: Run) -> Result:
        channel = batch_people(subject).create_link(
            reference=batch_reference(subject),
            hit_type_id=subject.hit_type_id,
            places=parameters.places,
            expires_at=timezone.now() + timedelta(days=parameters.days),
            note=parameters.note,
        )
        detail: dict[str, Any] = {"places": parameters.places, "days": parameters.days}
        log_channel(
            subject,
            run.actor.name,
            AuditAction.INVITATION_MADE,
            channel=channel.channel_id,
            **detail,
        )
        return Result(made_channel(channel), "The link is ready to be sent.", made=channel)


INVITE_LINK = InviteLink()
