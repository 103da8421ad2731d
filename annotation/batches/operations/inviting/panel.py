"""Make the address of a study on an external panel."""

import secrets
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from typing import Any, NamedTuple
from urllib.parse import quote

from annotation.batches.operations.inviting.base import Invitation
from annotation.core.parameters import parameter
from annotation.crowd.people import Channel
from annotation.models import Batch
from annotation.vocabulary import AuditAction
from metrics.errors import InputError

_CENT = Decimal("0.01")


class PanelTerms(NamedTuple):
    """A panel's names of participant, study and session, and the text to paste there.

    `back` is where it takes its participants back, before their code; empty: they type the code.
    """

    label: str
    parameters: tuple[str, str, str]
    pasted: str = ""
    back: str = ""


PANELS: dict[str, PanelTerms] = {
    "prolific": PanelTerms(
        "Prolific",
        ("PROLIFIC_PID", "STUDY_ID", "SESSION_ID"),
        "?PROLIFIC_PID={{%PROLIFIC_PID%}}&STUDY_ID={{%STUDY_ID%}}&SESSION_ID={{%SESSION_ID%}}",
        "https://app.prolific.com/submissions/complete?cc=",
    ),
    # Connect adds its parameters by itself.
    "connect": PanelTerms("CloudResearch Connect", ("participantId", "projectId", "assignmentId")),
    "sona": PanelTerms("Sona", ("id", "STUDY_ID", "SESSION_ID"), "?id=%SURVEY_CODE%"),
}


@dataclass(frozen=True, kw_only=True)
class InvitePanelParameters:
    provider: str = parameter(
        "prolific",
        choices=[(name, panel.label) for name, panel in PANELS.items()],
        label="Panel",
    )
    hits: int = parameter(
        1, min_value=1, max_value=1_000, label="HITs per participant", help_text="For one payment."
    )
    completion_code: str = parameter(
        "",
        max_length=50,
        allow_blank=True,
        label="Completion code",
        help_text="As the panel shows it; empty: one is drawn, to be pasted there.",
    )
    no_place_code: str = parameter(
        "",
        max_length=50,
        allow_blank=True,
        label="No-place code",
        help_text=(
            "For people who come while every HIT is held; empty: one is drawn, to be pasted there."
        ),
    )


class InvitePanel(Invitation[InvitePanelParameters]):
    """The address to which a panel sends its participants, and the code that ends their visit."""

    kind, label = "panel", "Panel"
    name = "invite by panel"
    title = "Make a panel address"
    button = "Make a panel address"
    heading = "Participants of a panel"
    introduction = (
        "Prolific and others bring people to an address and pay them for the code at its end."
    )
    example = {"provider": "prolific"}
    made = AuditAction.PANEL_ADDRESS_MADE
    parameters = InvitePanelParameters

    def members(self, batch: Batch, parameters: InvitePanelParameters) -> dict[str, Any]:
        del batch
        panel = PANELS[parameters.provider]
        participant, study, session = panel.parameters
        code = parameters.completion_code.strip() or _draw_code()
        no_place = parameters.no_place_code.strip() or _draw_code()
        if no_place == code:
            raise InputError(
                f"{code} is both the completion code and the no-place code: the panel could not "
                "tell who worked. Use two."
            )
        return {
            "Provider": parameters.provider,
            "ParticipantParameter": participant,
            "StudyParameter": study,
            "SessionParameter": session,
            "TasksPerVisit": parameters.hits,
            "CompletionCode": code,
            "CompletionUrl": f"{panel.back}{quote(code)}" if panel.back else "",
            "ScreenOutCode": no_place,
            "ScreenOutUrl": f"{panel.back}{quote(no_place)}" if panel.back else "",
        }

    def ready(self, parameters: InvitePanelParameters) -> str:
        del parameters
        return "The address is ready to be pasted."

    def logged(self, parameters: InvitePanelParameters) -> dict[str, str | int | None]:
        return {"provider": parameters.provider, "hits": parameters.hits}

    def channel_name(self, channel: Channel) -> str:
        panel = PANELS.get(channel.note)
        return panel.label if panel else channel.note

    def address(self, channel: Channel) -> str:
        """The address with the panel's own placeholders."""
        panel = PANELS.get(channel.note)
        return f"{channel.url}{panel.pasted}" if panel else channel.url

    def facts(
        self, batch: Batch, channel: Channel, *, missing: int, fee: Decimal
    ) -> dict[str, Any]:
        """Return the codes, and time and cost of the missing answers there.

        `pay` is for one participant, `cost` for all with the panel's fee, in US dollars.
        """
        hits = channel.own["TasksPerVisit"]
        pay, n_participants = batch.reward * hits, -(-missing // hits)
        cost = pay * n_participants * (100 + fee) / 100
        return {
            "completion_code": channel.own["CompletionCode"],
            "no_place_code": channel.own["ScreenOutCode"],
            "unfilled": channel.own.get("Unfilled", ""),
            "hits": hits,
            "pay": pay,
            "n_participants": n_participants,
            "cost": cost.quantize(_CENT, ROUND_HALF_UP),
        }


def _draw_code() -> str:
    return f"C{secrets.token_hex(4).upper()}"


INVITE_PANEL = InvitePanel()
