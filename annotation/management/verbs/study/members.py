"""Command: members of a study, and their roles."""

from argparse import ArgumentParser
from typing import Any

from annotation.accounts.queries.members import get_study, study_members
from annotation.core.base_command import FairpoolCommand


class Command(FairpoolCommand):
    help = "List the members of a study with the number and the role of each."
    example = "study members gender-2026 --json"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")

    def handle(self, **options: Any) -> None:
        study = get_study(name=options["study"])
        members = study_members(study=study)
        result = {
            "name": study.name,
            "number": study.pk,
            "members": {member.user.get_username(): member.role for member in members},
            "numbers": {member.user.get_username(): member.pk for member in members},
        }
        lines = [f"{member.pk}  {member.user.get_username()}: {member.role}" for member in members]
        self.print_result(options, result, lines or f"{study.name} has no members yet.")
