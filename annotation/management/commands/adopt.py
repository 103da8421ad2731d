"""adopt: make pools and batches that belong to no study part of one."""

from typing import Any

from django.core.management.base import CommandParser
from django.db import transaction

from annotation.accounts.queries.members import study_get
from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.overview.operations.adopt import ADOPT
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Make pools and batches that belong to no study part of one, so that its members see them. "
        "A pool brings the batches that were made of it."
    )
    example = "adopt gender-2026 --pool top500 --batch older-votes"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        for what in ("pool", "batch"):
            parser.add_argument(
                f"--{what}",
                action="append",
                default=[],
                metavar=what.upper(),
                help=f"Name of a {what}; may be repeated.",
            )

    def handle(self, **options: Any) -> None:
        study = study_get(name=options["study"])
        if not options["pool"] and not options["batch"]:
            raise InputError("say what to adopt.", remedy="Give --pool or --batch.")
        named = [(what, name) for what in ("pool", "batch") for name in options[what]]
        with transaction.atomic():
            for what, name in named:
                perform_here(ADOPT, study, {"what": what, "name": name}, Actor(actor()))
        names = sorted(study.batches.values_list("name", flat=True))
        pools = sorted(study.pools.values_list("pool__name", flat=True))
        shown = {"study": study.name, "pools": pools, "batches": names}
        line = f"{study.name} has these batches now: {', '.join(names) or 'none'}."
        self.print_result(options, shown, line)
