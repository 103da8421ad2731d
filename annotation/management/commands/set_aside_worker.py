"""set_aside_worker: a worker's votes stop counting, or count again."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.selectors.batches import batch_get
from annotation.services.quality import worker_bring_back, worker_set_aside
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Set a worker of a batch aside, or bring them back. No vote is deleted; labels that were "
        "decided are decided again."
    )
    example = "set_aside_worker study A1B2C3 --reason 'wrong on 9 of 10 check queries'"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument("worker", metavar="WORKER", help="The worker's id.")
        parser.add_argument("--reason", required=True, help="Why; kept with the decision.")
        parser.add_argument(
            "--bring-back", action="store_true", help="Let the worker's votes count again."
        )
        parser.add_argument(
            "--by",
            default="set_aside_worker",
            help="Who decides; kept with the decision (default: %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        change = worker_bring_back if options["bring_back"] else worker_set_aside
        batch = batch_get(name=options["batch"])
        change(
            batch=batch,
            worker_id=options["worker"],
            reason=options["reason"],
            actor=options["by"],
        )
        done = "brought back" if options["bring_back"] else "set aside"
        if options["as_json"]:
            self.print_json({"batch": batch.name, "worker": options["worker"], "done": done})
        else:
            self.stdout.write(f"{options['worker']}: {done}.")
