"""Invite annotators by a link with places."""

from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from django.utils import timezone

from annotation.batches.operations.inviting.base import Invitation
from annotation.batches.queries.pay import seconds_for_hit
from annotation.core.parameters import parameter
from annotation.models import Batch


@dataclass(frozen=True, kw_only=True)
class InviteLinkParameters:
    places: int = parameter(
        20, min_value=1, max_value=10_000, label="Places", help_text="How many people may come in."
    )
    days: int = parameter(
        14, min_value=1, max_value=365, label="Days", help_text="Nobody can come in after that."
    )
    asked_by: str = parameter(
        "",
        max_length=200,
        allow_blank=True,
        label="Who asks",
        help_text="You or your group, as people read it before they start; empty: the people of "
        "the study.",
    )
    note: str = parameter(
        "", max_length=200, allow_blank=True, label="Note", help_text="Whom it is for; optional."
    )


class InviteLink(Invitation[InviteLinkParameters]):
    """A link by which people come to the batch without an account, up to its number of places."""

    kind, label = "link", "Link"
    name = "invite by link"
    title = "Make a link"
    button = "Make a link"
    heading = "Make a link"
    introduction = (
        "One link for several people, who need no account. It tells devices apart, not people: "
        "if nobody may answer twice, make accounts, or links of one place."
    )
    example = {"places": 20, "days": 14}
    parameters = InviteLinkParameters

    def members(self, batch: Batch, parameters: InviteLinkParameters) -> dict[str, Any]:
        expires_at = timezone.now() + timedelta(days=parameters.days)
        return {
            "Places": parameters.places,
            "ExpiresAt": int(expires_at.timestamp()),
            "Note": parameters.note,
            "AskedBy": parameters.asked_by.strip() or f"The people of the study {batch.study.name}",
            "Seconds": seconds_for_hit(batch=batch),
        }

    def ready(self, parameters: InviteLinkParameters) -> str:
        del parameters
        return "The link is ready to be sent."

    def logged(self, parameters: InviteLinkParameters) -> dict[str, str | int | None]:
        return {"places": parameters.places, "days": parameters.days}


INVITE_LINK = InviteLink()
