"""adjudicate: what is left to decide, and a person's decisions."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.perform import perform_here
from annotation.labels.operations.adjudicate import ADJUDICATE, WITHDRAW_DECISION
from annotation.labels.queries.adjudication import DOUBTFUL, QueueItem, adjudication_queue
from annotation.vocabulary import Category
from metrics.cli.numbers import share
from metrics.errors import InputError


class Command(ParametersCommand):
    help = (
        "Without QID: list the queries that a person should decide, ties first, without the votes "
        "on them. With QID: decide one. The votes never change."
    )
    example = "adjudicate study 1048725 m --by 'R. Reader' --reason 'the museum film has a hero'"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument("qid", nargs="?", metavar="QID", help="The query to decide.")
        parser.add_argument(
            "category", nargs="?", choices=Category.values, help="What it is decided to be."
        )
        parser.add_argument("--by", default="", help="Who decides.")
        parser.add_argument("--reason", default="", help="Why.")
        parser.add_argument("--withdraw", action="store_true", help="Take the decision back.")
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
        batch = batch_get(name=options["batch"])
        if options["qid"] is None:
            below, is_blind = options["below"], not options["show_votes"]
            queue = adjudication_queue(batch=batch, below=below, blind=is_blind)
            lines = [*map(_line, queue), f"{len(queue)} queries to decide."]
            self.print_result(options, {"queue": queue}, lines)
            return
        operation = WITHDRAW_DECISION if options["withdraw"] else ADJUDICATE
        if not options["by"].strip():
            raise InputError("say who decides.", remedy="Give --by.")
        sent = self.sent(operation.parameters, options)
        with self.usage_errors():
            perform_here(operation, batch, sent, Actor(options["by"]))
        if options["as_json"]:
            named = {name: options[name] for name in ("qid", "reason", "by", "category")}
            self.print_json({"batch": batch.name, **named})


def _line(item: QueueItem) -> str:
    votes = "" if item.votes is None else f"  {item.votes}"
    return f"{item.qid}\t{item.why}\t{item.text}{votes}"
