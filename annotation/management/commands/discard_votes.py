"""discard_votes: a worker's votes stop counting, or count again."""

from typing import Any, ClassVar

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.operations import Actor
from annotation.core.perform import perform_here
from annotation.workers.operations.discard_votes import DISCARD_VOTES
from annotation.workers.operations.quality import voter_of
from annotation.workers.operations.restore_votes import RESTORE_VOTES
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    restore_option: ClassVar[str] = "--restore"
    help = (
        "Discard the votes of a worker of a batch, or restore them. No vote is deleted; labels "
        "that were decided are decided again."
    )
    example = "discard_votes study A1B2C3 --reason 'wrong on 9 of 10 gold questions'"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument("worker", metavar="WORKER", help="The worker's id.")
        parser.add_argument("--reason", required=True, help="Why; kept with the decision.")
        parser.add_argument(
            self.restore_option,
            action="store_true",
            dest="restore",
            help="Let the worker's votes count again.",
        )
        parser.add_argument(
            "--by",
            default="discard_votes",
            help="Who decides; kept with the decision (default: %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        batch, restore = batch_get(name=options["batch"]), options["restore"]
        number = voter_of(batch, options["worker"]).pk
        sent = {"worker": number, "reason": options["reason"]}
        perform_here(RESTORE_VOTES if restore else DISCARD_VOTES, batch, sent, Actor(options["by"]))
        done = "restored" if restore else "discarded"
        shown = {"batch": batch.name, "worker": options["worker"], "done": done}
        self.print_result(options, shown, f"Votes of {options['worker']} {done}.")
