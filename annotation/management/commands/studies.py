"""studies: what there is, and who may do what in it."""

from collections.abc import Mapping
from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.queries.members import study_get, study_list, study_members
from annotation.models import Study
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "List the studies, the latest first, or the members of one."
    example = "studies gender-2026 --json"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", nargs="?", metavar="STUDY", help="Show this one's members.")

    def handle(self, **options: Any) -> None:
        if options["name"]:
            self._print_members(study_get(name=options["name"]), options)
        else:
            self._print_studies(options)

    def _print_studies(self, options: Mapping[str, Any]) -> None:
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

    def _print_members(self, study: Study, options: Mapping[str, Any]) -> None:
        members = {member.user.get_username(): member.role for member in study_members(study=study)}
        shown = {"name": study.name, "number": study.pk, "members": members}
        lines = [f"{name}: {role}" for name, role in members.items()]
        self.print_result(options, shown, lines or f"{study.name} has no members yet.")
