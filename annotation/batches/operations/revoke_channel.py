"""Closing a channel of a batch."""

from dataclasses import dataclass

from annotation.batches.operations.channels import log_channel
from annotation.batches.operations.refresh import snapshot_after
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.crowd.connection import batch_people
from annotation.models import Batch
from annotation.vocabulary import AuditAction


@dataclass(frozen=True, kw_only=True)
class RevokeChannelParameters:
    channel: str = parameter(max_length=64, help_text="Id of the link, account or panel address.")


class RevokeChannel(Operation[Batch, RevokeChannelParameters]):
    """Let nobody else in.

    People who came by a link or a panel may finish; an account is closed at once. Answers stay.
    """

    name = "revoke channel"
    path = "invite/revoke"
    example = {"channel": "3CHANNEL"}
    title = "Revoke"
    button = "Revoke"
    subject = Batch
    parameters = RevokeChannelParameters
    states = PUBLIC_STATES

    def run(self, subject: Batch, parameters: RevokeChannelParameters, run: Run) -> Result:
        batch_people(subject).revoke(parameters.channel)
        log_channel(
            subject, run.actor.name, AuditAction.INVITATION_REVOKED, channel=parameters.channel
        )
        snapshot_after(subject)
        return Result(message="Nobody else can come in that way. Answers stay.")


REVOKE_CHANNEL = RevokeChannel()
