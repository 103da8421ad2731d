"""Make the address of a study on an external panel."""

import secrets
from dataclasses import dataclass
from typing import Any, NamedTuple
from urllib.parse import quote

from annotation.batches.operations.channels import (
    INVITING_STATES,
    batch_reference,
    log_channel,
    made_channel,
)
from annotation.core.operations import Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_people
from annotation.crowd.people import Channel
from annotation.models import Batch
from annotation.vocabulary import AuditAction


class PanelTerms(NamedTuple):
    """What a panel calls participant, study and session; what is pasted there behind the address.

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


def pasted_address(channel: Channel) -> str:
    """What is pasted into the panel: the address with the panel's own placeholders."""
    panel = PANELS.get(channel.note)
    return f"{channel.url}{panel.pasted}" if panel else channel.url


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


class InvitePanel(Operation[Batch, InvitePanelParameters]):
    """The address that a panel sends its participants to, and the code that ends their visit."""

    name = "invite by panel"
    title = "Make a panel address"
    button = "Make a panel address"
    subject = Batch
    parameters = InvitePanelParameters
    states = INVITING_STATES

    def run(self, subject: Batch, parameters: InvitePanelParameters, run: Run) -> Result:
        panel = PANELS[parameters.provider]
        code = parameters.completion_code.strip() or f"C{secrets.token_hex(4).upper()}"
        channel = batch_people(subject).create_panel(
            reference=batch_reference(subject),
            hit_type_id=subject.hit_type_id,
            provider=parameters.provider,
            parameters=panel.parameters,
            tasks_per_visit=parameters.hits,
            completion_code=code,
            completion_url=f"{panel.back}{quote(code)}" if panel.back else "",
        )
        detail: dict[str, Any] = {"provider": parameters.provider, "hits": parameters.hits}
        log_channel(
            subject,
            run.actor.name,
            AuditAction.PANEL_ADDRESS_MADE,
            channel=channel.channel_id,
            **detail,
        )
        return Result(made_channel(channel), "The address is ready to be pasted.", made=channel)


INVITE_PANEL = InvitePanel()
