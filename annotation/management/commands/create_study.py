"""create_study: what pools, batches and people belong to."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.management.arguments import actor
from annotation.selectors.members import user_get
from annotation.services.studies import study_create
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Make a study. Only its members, and members of staff, see what belongs to it."
    example = "create_study gender-2026 --owner ada --description 'Queries of the dev set'"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("name", metavar="STUDY", help="Name of the new study.")
        parser.add_argument("--owner", metavar="USER", help="User name of its first owner.")
        parser.add_argument("--description", default="", help="What it is about.")

    def handle(self, **options: Any) -> None:
        owner = user_get(username=options["owner"]) if options["owner"] else None
        study = study_create(
            name=options["name"], description=options["description"], owner=owner, actor=actor()
        )
        if options["as_json"]:
            self.print_json({"name": study.name, "number": study.pk, "owner": options["owner"]})
            return
        whose = f" It belongs to {options['owner']}." if owner else " It has no owner yet."
        self.stdout.write(f"Study {study.name} is made.{whose}")
