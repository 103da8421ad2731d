"""Command: check that this site can recruit on Prolific."""

from typing import Any

from annotation.core.base_command import FairpoolCommand
from annotation.prolific.connection import look_at_access, site_prolific


class Command(FairpoolCommand):
    help = "Say what the site's token of Prolific may do: whose it is, and what it can spend."
    example = "crowd check-prolific"
    needs_databases = False

    def handle(self, **options: Any) -> None:
        access = look_at_access(site_prolific())
        kind = "a rehearsal at" if access.is_rehearsal else "Prolific at"
        lines = [f"{kind} {access.address}, as {access.account}", *map(str, access.workspaces)]
        self.print_result(options, access, lines)
