"""Command: all studies."""

from typing import Any

from annotation.accounts.queries.members import study_list
from annotation.core.base_command import FairpoolCommand


class Command(FairpoolCommand):
    help = "List the studies, the latest first."
    example = "study list --json"

    def handle(self, **options: Any) -> None:
        rows = [
            {
                "name": study.name,
                "number": study.pk,
                "n_members": study.n_members,  # type: ignore[attr-defined] # annotated
                "n_pools": study.n_pools,  # type: ignore[attr-defined]
                "n_batches": study.n_batches,  # type: ignore[attr-defined]
            }
            for study in study_list()
        ]
        lines = [
            f"{row['name']}: {row['n_members']} members, {row['n_pools']} pools, "
            f"{row['n_batches']} batches"
            for row in rows
        ]
        self.print_result(options, {"studies": rows}, lines or "No studies.")
