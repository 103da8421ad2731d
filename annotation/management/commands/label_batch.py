"""label_batch: the votes of a batch to one label per query."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.agreement.aggregation import METHODS
from annotation.selectors.batches import batch_get
from annotation.services.labels import batch_label
from annotation.vocabulary import Category
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Decide the label of every query that has votes. By majority it is the category with "
        "strictly more votes than every other; a query without one is a tie, never a guess."
    )
    example = "label_batch study --method majority"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument(
            "--method",
            choices=METHODS,
            default="majority",
            help="How votes become a label (default: %(default)s).",
        )
        parser.add_argument(
            "--strict",
            action="store_true",
            help="Majority: ask for more than half of the query's votes.",
        )
        parser.add_argument(
            "--seed", type=int, default=0, help="Of the model's start (default: %(default)s)."
        )

    def handle(self, **options: Any) -> None:
        report = batch_label(
            batch=batch_get(name=options["batch"]),
            method=options["method"],
            strict=options["strict"],
            seed=options["seed"],
        )
        if options["as_json"]:
            self.print_json(report.as_dict())
            return
        counts = ", ".join(
            f"{count:,} {Category(code).label.lower()}" for code, count in report.labels.items()
        )
        self.stdout.write(f"{report.n_queries:,} queries: {counts}, {report.ties:,} ties.")
        if report.without_votes:
            self.stdout.write(f"{report.without_votes:,} queries have no vote yet.")
        for remark in report.notes:
            self.stdout.write(remark)
