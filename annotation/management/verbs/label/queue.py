"""The queries that a person should decide."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.core.counting import counted
from annotation.labels.queries.adjudication import DOUBTFUL, QueueItem, adjudication_queue
from metrics.cli.numbers import share


class Command(FairpoolCommand):
    help = (
        "List the queries that a person should decide, ties first, without the votes on them. "
        "`label adjudicate` decides one; the votes never change."
    )
    example = "label queue study --below 0.8"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        parser.add_argument(
            "--show-votes",
            action="store_true",
            help="List the votes too (default: blind, because votes sway the adjudicator).",
        )
        parser.add_argument(
            "--below",
            type=share,
            default=DOUBTFUL,
            help="List labels with a posterior below this (default: %(default)s).",
        )

    def handle(self, **options: Any) -> None:
        batch, blind = get_batch(name=options["batch"]), not options["show_votes"]
        queue = adjudication_queue(batch=batch, below=options["below"], blind=blind)
        lines = [*map(_line, queue), f"{counted(len(queue), batch.scheme.item_noun)} to decide."]
        self.print_result(options, {"queue": queue}, lines)


def _line(item: QueueItem) -> str:
    votes = "" if item.votes is None else f"  {item.votes}"
    return f"{item.qid}\t{item.question}\t{item.why}\t{item.text}{votes}"
