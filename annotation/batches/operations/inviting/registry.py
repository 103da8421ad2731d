"""The ways to invite that exist."""

from collections.abc import Mapping

from annotation.batches.operations.inviting.account import INVITE_ACCOUNT
from annotation.batches.operations.inviting.base import AnyInvitation
from annotation.batches.operations.inviting.link import INVITE_LINK
from annotation.batches.operations.inviting.panel import INVITE_PANEL

#: By kind, in the order of the page.
INVITATIONS: Mapping[str, AnyInvitation] = {
    invitation.kind: invitation for invitation in (INVITE_LINK, INVITE_ACCOUNT, INVITE_PANEL)
}
