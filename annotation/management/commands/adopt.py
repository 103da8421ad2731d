"""adopt: make pools and batches that belong to no study part of one."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.queries.members import study_get
from annotation.batches.queries.batches import batch_get
from annotation.core.commands import actor
from annotation.studies.operations.studies import study_adopt
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand
from pooling.selectors import pool_named


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
        study_adopt(
            study=study,
            pools=[pool_named(name) for name in options["pool"]],
            batches=[batch_get(name=name) for name in options["batch"]],
            actor=actor(),
        )
        names = sorted(study.batches.values_list("name", flat=True))
        if options["as_json"]:
            pools = sorted(study.pools.values_list("pool__name", flat=True))
            self.print_json({"study": study.name, "pools": pools, "batches": names})
            return
        self.stdout.write(f"{study.name} has these batches now: {', '.join(names) or 'none'}.")
