"""add_member: give somebody with an account a role in a study."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.operations.members import member_add
from annotation.accounts.queries.members import study_get, user_get
from annotation.core.commands import actor
from annotation.vocabulary import Role
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Make somebody who has an account a member of a study; `invite` is for everybody else."
    example = "add_member gender-2026 ada --role adjudicator"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        parser.add_argument("user", metavar="USER", help="Their user name.")
        parser.add_argument(
            "--role",
            choices=Role.values,
            default=Role.VIEWER,
            help="What they may do (default viewer).",
        )

    def handle(self, **options: Any) -> None:
        member = member_add(
            study=study_get(name=options["study"]),
            user=user_get(username=options["user"]),
            role=options["role"],
            actor=actor(),
        )
        if options["as_json"]:
            said = {"study": options["study"], "user": options["user"], "role": member.role}
            self.print_json(said)
            return
        self.stdout.write(f"{options['user']} is {member.role} of {options['study']} now.")
