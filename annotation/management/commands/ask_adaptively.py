"""ask_adaptively: two votes first, more only where they can matter."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.adaptive import FULL, MOST
from annotation.agreement.summary import as_dict
from annotation.batches.operations.planning import MOST as MOST_ASSIGNMENTS
from annotation.batches.operations.redundancy import redundancy_ask, redundancy_begin
from annotation.batches.queries.batches import batch_get
from annotation.batches.queries.redundancy import redundancy_report
from metrics.cli.numbers import seed, share, whole_number
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Ask for a third vote only on queries on which two differ, and for more on ties. --begin "
        "sets it up for a batch made with --assignments 2; after each sync_batch, --next plans the "
        "HITs of the next round, which publish_batch publishes and earlier voters cannot take. "
        "Without either, report where the batch stands and what is saved."
    )
    example = "ask_adaptively study --next"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        step = parser.add_mutually_exclusive_group()
        step.add_argument("--begin", action="store_true", help="Let the batch ask adaptively.")
        step.add_argument("--next", action="store_true", help="Plan the HITs of the next round.")
        parser.add_argument(
            "--full-share",
            type=share,
            default=0.1,
            help="With --begin: random share of the queries that gets three votes in any case, so "
            "that agreement can be estimated without selection (default: %(default)s).",
        )
        parser.add_argument(
            "--most",
            type=whole_number(FULL, MOST_ASSIGNMENTS),
            default=MOST,
            help="With --begin: votes on one query, at most (default: %(default)s).",
        )
        parser.add_argument(
            "--seed", type=seed, default=0, help="With --begin: chooses the share (default: 0)."
        )

    def handle(self, **options: Any) -> None:
        batch = batch_get(name=options["batch"])
        if options["begin"]:
            redundancy_begin(
                batch=batch,
                actor="ask_adaptively",
                full_share=options["full_share"],
                most_votes=options["most"],
                seed=options["seed"],
            )
        if options["next"]:
            found = redundancy_ask(batch=batch, actor="ask_adaptively").as_dict()
            words = "{hits:,} HITs planned for {queries:,} queries; {kept_out:,} voters excluded."
        else:
            report = redundancy_report(batch=batch)
            found = {
                **{name: value for name, value in vars(report).items() if name != "sample"},
                "sample": as_dict(report.sample),
            }
            words = (
                "{votes:,} votes on {n_queries:,} queries instead of {votes_fixed:,}; {n_open:,} "
                "queries need another. {cost} USD instead of {cost_fixed}. Agreement is to be "
                "estimated over the {n_full:,} queries that get three votes in any case."
            )
        self.print_result(options, found, words.format(**found))
