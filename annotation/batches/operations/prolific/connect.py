"""Store the token that opens a workspace of Prolific."""

from dataclasses import dataclass

from django.conf import settings

from annotation.batches.operations.prolific.study import check_currency, log_study
from annotation.batches.operations.prolific.subscribing import subscribe_to_events
from annotation.core.operations import PUBLIC_STATES, Operation, Result, Run
from annotation.core.parameters import parameter
from annotation.models import Batch, ProlificWorkspace
from annotation.prolific.client import Prolific
from annotation.prolific.connection import look_at_access
from annotation.prolific.tokens import seal, workspace_prolific
from annotation.vocabulary import Action, AuditAction, Permit
from metrics.errors import InputError


@dataclass(frozen=True, kw_only=True)
class ConnectParameters:
    token: str = parameter(
        "",
        max_length=500,
        allow_blank=True,
        label="Token",
        help_text="From Prolific's settings, API tokens; empty: the site's own. It is never shown.",
        style={"secret": True},
    )
    workspace: str = parameter(
        "",
        max_length=24,
        allow_blank=True,
        label="Workspace",
        help_text="The workspace's id, if the token opens several.",
    )


class ConnectProlific(Operation[Batch, ConnectParameters]):
    """Try the token of a workspace of Prolific, and store it encrypted.

    The workspace pays for the studies of every batch whose members may recruit there. Where the
    site has an https address, Prolific is asked to notify it of every change.
    """

    name = "connect prolific"
    path = "prolific/connect"
    example = {"token": "the token"}
    title = "Connect to Prolific"
    button = "Store the token"
    subject = Batch
    parameters = ConnectParameters
    permission = Action.PUBLISH
    permit = Permit.RECRUIT
    calls_out = True
    states = PUBLIC_STATES

    def run(self, subject: Batch, parameters: ConnectParameters, run: Run) -> Result:
        token = parameters.token.strip() or settings.PROLIFIC_TOKEN
        if not token:
            raise InputError(
                "no token was given, and the site has none.",
                remedy="Make one in Prolific's settings, API tokens.",
            )
        if not token.isascii() or not token.isprintable() or " " in token:
            raise InputError("that is not a token of Prolific.", remedy="Paste all of it again.")
        access = look_at_access(Prolific(token, address=settings.PROLIFIC_ADDRESS))
        matching = [
            workspace
            for workspace in access.workspaces
            if parameters.workspace.strip() in {"", workspace.workspace_id}
        ]
        if len(matching) != 1:
            known = "; ".join(map(str, access.workspaces)) or "none"
            raise InputError(
                f"the token does not open exactly one such workspace, but: {known}.",
                remedy="Give the id of the workspace that is to pay.",
            )
        workspace = matching[0]
        check_currency(workspace.currency)
        row, _is_new = ProlificWorkspace.objects.update_or_create(
            workspace_id=workspace.workspace_id,
            defaults={
                "title": workspace.title[:200],
                "address": access.address,
                "currency": workspace.currency,
                "token": seal(token),
                "stored_by": run.actor.name,
            },
        )
        log_study(
            subject, run.actor.name, AuditAction.PROLIFIC_CONNECTED, workspace=row.workspace_id
        )
        notice = subscribe_to_events(row, workspace_prolific(row))
        return Result({"workspace": row.workspace_id}, f"Connected to {workspace.title}. {notice}")


CONNECT_PROLIFIC = ConnectProlific()
