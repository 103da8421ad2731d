"""forget_worker: delete a worker's personal data, on request; the study stays whole."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.workers import workers_with_id
from annotation.core.commands import actor
from annotation.management.arguments import add_study_option, study_of
from annotation.models import Batch
from annotation.vocabulary import Environment
from annotation.workers.operations.forgetting import worker_forget
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Delete the personal data of a worker for good: ids, answers as they arrived, moments, "
        "notes, qualifications. Votes and money stay, under another name in each study."
    )
    example = "forget_worker A1B2C3D4E5F6G7"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("worker", metavar="WORKER", help="The worker's id.")
        parser.add_argument(
            "--environment",
            choices=Environment.values,
            help="Where the id is one (default: everywhere).",
        )
        add_study_option(parser, "Only in this study (default: in all of them).")

    def handle(self, **options: Any) -> None:
        study = study_of(options)
        everything = Batch.everything.all()  # also what is removed holds personal data
        batches = everything if study is None else everything.filter(study=study)
        found = workers_with_id(options["worker"], environment=options["environment"])
        done = [
            {"environment": worker.environment}
            | asdict(worker_forget(worker=worker, batches=batches, actor=actor()))
            for worker in found
        ]
        if options["as_json"]:
            self.print_json({"worker": options["worker"], "forgotten": done})
            return
        for one in done:
            self.stdout.write(
                f"{one['environment']}: forgotten in {one['batches']} batches; {one['votes']} "
                f"votes and {one['answers']} answers stay, under another name."
            )
        if any(one["environment"] == Environment.LOCAL for one in done):
            self.note("Our own crowd service has a record of its own: see `crowd_forget`.")
