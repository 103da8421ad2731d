"""This site's access to Prolific, and what its token may do."""

from dataclasses import dataclass

from django.conf import settings

from annotation.prolific.client import LIVE, Prolific
from metrics.errors import InputError


@dataclass(frozen=True)
class Workspace:
    """A workspace, which pays for its studies. `available` is in subunits of the currency."""

    workspace_id: str
    title: str
    available: int
    currency: str

    def __str__(self) -> str:
        units, subunits = divmod(self.available, 100)
        return f"{self.title} ({self.workspace_id}): {units:,}.{subunits:02} {self.currency}"


@dataclass(frozen=True)
class Access:
    """Whose token it is, and the workspaces that it may spend from."""

    address: str
    is_rehearsal: bool
    account: str
    workspaces: tuple[Workspace, ...]


def addresses_in_force() -> tuple[str, str]:
    """Return the addresses of Prolific in use, without those of rehearsals that are over."""
    return LIVE, settings.PROLIFIC_ADDRESS.rstrip("/")


def site_prolific() -> Prolific:
    """Prolific with the token of this site."""
    if not settings.PROLIFIC_TOKEN:
        raise InputError(
            "this site has no token of Prolific.",
            remedy="Make one there (Settings, API tokens) and set PROLIFIC_TOKEN.",
        )
    return Prolific(settings.PROLIFIC_TOKEN, address=settings.PROLIFIC_ADDRESS)


def look_at_access(prolific: Prolific) -> Access:
    """The account and workspaces of the token. Only reads."""
    balances = {
        workspace_id: (title, *prolific.balance(workspace_id))
        for workspace_id, title in prolific.workspaces().items()
    }
    workspaces = tuple(Workspace(workspace_id, *known) for workspace_id, known in balances.items())
    return Access(prolific.address, prolific.is_rehearsal, prolific.account(), workspaces)
