"""set_aside_worker: a worker's votes stop counting, or count again."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.quality import voter_of
from annotation.workers.operations.restore_votes import RESTORE_VOTES
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Set a worker of a batch aside, or bring them back. No vote is deleted; labels that were "
        "decided are decided again."
    )
    example = "set_aside_worker study A1B2C3 --reason 'wrong on 9 of 10 gold questions'"

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
        batch, is_back = batch_get(name=options["batch"]), options["bring_back"]
        number = voter_of(batch, options["worker"]).pk
        sent = {"worker": number, "reason": options["reason"]}
        perform_here(RESTORE_VOTES if is_back else DISCARD_VOTES, batch, sent, Actor(options["by"]))
        done = "brought back" if is_back else "set aside"
        shown = {"batch": batch.name, "worker": options["worker"], "done": done}
        self.print_result(options, shown, f"{options['worker']}: {done}.")
