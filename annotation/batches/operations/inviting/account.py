"""Make an account for an annotator."""

from dataclasses import dataclass
from typing import Any

from annotation.batches.operations.inviting.base import Invitation
from annotation.core.parameters import parameter
from annotation.models import Batch
from annotation.vocabulary import LONGEST_USERNAME, AuditAction


@dataclass(frozen=True, kw_only=True)
class InviteAccountParameters:
    username: str = parameter(max_length=LONGEST_USERNAME, label="Name to sign in with")
    password: str = parameter(
        max_length=128,
        trim_whitespace=False,
        label="Password",
        help_text="Tell the person the password: the site does not show it again.",
        style={"secret": True},
    )


class InviteAccount(Invitation[InviteAccountParameters]):
    """An account for one person, who can come back to it from any device."""

    kind, label = "account", "Account"
    is_of_one_batch = False  # it serves the batches to come, too
    name = "invite by account"
    title = "Make an account"
    button = "Make an account"
    heading = "An account for one person"
    introduction = "This is for people who come back from several devices."
    example = {"username": "ada", "password": "a long pass phrase"}
    made = AuditAction.ACCOUNT_MADE
    parameters = InviteAccountParameters

    def members(self, batch: Batch, parameters: InviteAccountParameters) -> dict[str, Any]:
        del batch
        return {"Username": parameters.username, "Password": parameters.password}

    def ready(self, parameters: InviteAccountParameters) -> str:
        return f"{parameters.username} can sign in now."


INVITE_ACCOUNT = InviteAccount()
