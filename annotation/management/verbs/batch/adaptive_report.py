"""Command: the state of a batch that asks adaptively."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.adaptive import adaptive_report
from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.core.counting import about_items
from metrics.votes.agreement import as_dict


class Command(FairpoolCommand):
    help = (
        "Report where an adaptive batch stands and what it saves. `batch begin-adaptive` sets one "
        "up that was made with --assignments 2; after each `batch collect`, `batch plan-round` "
        "plans the HITs of the next round, which `batch publish` publishes."
    )
    example = "batch adaptive-report study"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        report = adaptive_report(batch=batch)
        values = {name: value for name, value in vars(report).items() if name != "sample"}
        message = (
            "{votes:,} answers to {question} on {n_queries:,} queries instead of "
            "{votes_fixed:,}; {n_open:,} queries need another. {cost} USD instead of "
            "{cost_fixed}. Agreement is to be estimated over the {n_full:,} queries that get three "
            "votes in any case."
        )
        result = {**values, "sample": as_dict(report.sample)}
        text = about_items(message, batch.scheme.item_noun).format(**values)
        self.print_result(options, result, text)
