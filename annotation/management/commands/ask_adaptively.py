"""ask_adaptively: two votes first, more only where they can matter."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.summary import as_dict
from annotation.batches.operations.begin_adaptive import BEGIN_ADAPTIVE
from annotation.batches.operations.plan_round import PLAN_ROUND
from annotation.batches.queries.adaptive import adaptive_report
from annotation.batches.queries.batches import batch_get
from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of, read_parameters
from annotation.core.perform import perform_here
from annotation.models import Batch


class Command(ParametersCommand):
    help = (
        "Ask for a third vote only on queries on which two differ, and for more on ties. --begin "
        "sets it up for a batch made with --assignments 2; the options below are its terms. After "
        "each sync_batch, --next plans the HITs of the next round, which publish_batch publishes "
        "and earlier voters cannot take. Without either, report where the batch stands and what "
        "is saved."
    )
    example = "ask_adaptively study --next"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        step = parser.add_mutually_exclusive_group()
        step.add_argument("--begin", action="store_true", help="Let the batch ask adaptively.")
        step.add_argument("--next", action="store_true", help="Plan the HITs of the next round.")
        self.add_fields(parser, fields_of(BEGIN_ADAPTIVE.parameters))

    def handle(self, **options: Any) -> None:
        sent = self.sent(BEGIN_ADAPTIVE.parameters, options)
        with self.usage_errors():
            terms = read_parameters(BEGIN_ADAPTIVE.parameters, sent)
        batch, who = batch_get(name=options["batch"]), Actor(actor())
        if options["begin"]:
            perform_here(BEGIN_ADAPTIVE, batch, terms, who)
        if options["next"]:
            done = perform_here(PLAN_ROUND, batch, {}, who)
            values, message = done.values, done.message
        else:
            values, message = _report(batch)
        self.print_result(options, values, message)


def _report(batch: Batch) -> tuple[dict[str, Any], str]:
    """Where the batch stands: for programs, and for people."""
    report = adaptive_report(batch=batch)
    values = {
        **{name: value for name, value in vars(report).items() if name != "sample"},
        "sample": as_dict(report.sample),
    }
    message = (
        "{votes:,} votes on {n_queries:,} queries instead of {votes_fixed:,}; {n_open:,} "
        "queries need another. {cost} USD instead of {cost_fixed}. Agreement is to be "
        "estimated over the {n_full:,} queries that get three votes in any case."
    )
    return values, message.format(**values)
