"""studies: what there is, and who may do what in it."""

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
            self._tell_members(study_get(name=options["name"]), as_json=options["as_json"])
        else:
            self._tell_studies(as_json=options["as_json"])

    def _tell_studies(self, *, as_json: bool) -> None:
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
        if as_json:
            self.print_json({"studies": rows})
            return
        for row in rows:
            self.stdout.write(
                f"{row['name']}: {row['n_members']} members, {row['n_pools']} pools, "
                f"{row['n_batches']} batches"
            )
        if not rows:
            self.stdout.write("No studies.")

    def _tell_members(self, study: Study, *, as_json: bool) -> None:
        members = {member.user.get_username(): member.role for member in study_members(study=study)}
        if as_json:
            self.print_json({"name": study.name, "number": study.pk, "members": members})
            return
        for name, role in members.items():
            self.stdout.write(f"{name}: {role}")
        if not members:
            self.stdout.write(f"{study.name} has no members yet.")
