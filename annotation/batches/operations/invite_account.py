"""Make an account for an annotator."""

from dataclasses import dataclass

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
class InviteAccountParameters:
    username: str = parameter(max_length=150, label="Name to sign in with")
    password: str = parameter(
        max_length=128,
        trim_whitespace=False,
        label="Password",
        help_text="Tell it to the person: it is stored as a digest and shown nowhere.",
        style={"secret": True},
    )


class InviteAccount(Operation[Batch, InviteAccountParameters]):
    """An account for one person, who can come back to it from any device."""

    name = "invite by account"
    title = "Make an account"
    button = "Make an account"
    subject = Batch
    parameters = InviteAccountParameters
    states = INVITING_STATES

    def run(self, subject: Batch, parameters: InviteAccountParameters, run: Run) -> Result:
        channel = batch_people(subject).create_account(
            reference=batch_reference(subject),
            hit_type_id=subject.hit_type_id,
            username=parameters.username,
            password=parameters.password,
        )
        log_channel(subject, run.actor.name, AuditAction.ACCOUNT_MADE, channel=channel.channel_id)
        return Result(
            made_channel(channel), f"{parameters.username} can sign in now.", made=channel
        )


INVITE_ACCOUNT = InviteAccount()
