"""export_queries: labelled queries to a file."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.export.labels import FORMATS, lines
from annotation.selectors.batches import batch_get
from annotation.selectors.labels import exported_labels
from annotation.vocabulary import Category
from metrics.files import write_text
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Write the labelled queries of a batch in the batch's order. A tie is no category and is "
        "left out. Texts are written byte for byte."
    )
    example = "export_queries study --category n --output nongendered.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument(
            "--category",
            choices=[*Category.values, "all"],
            default="all",
            help="Write the queries of this category only (default: %(default)s).",
        )
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="csv",
            help="csv: qid,query,label as released, no header; tsv: qid<TAB>query; jsonl: all "
            "that is known about a label (default: %(default)s).",
        )
        parser.add_argument(
            "--quote", action="store_true", help="csv: quote cells that need it (standard CSV)."
        )
        parser.add_argument(
            "--spreadsheet",
            action="store_true",
            help="Put an apostrophe before cells that a spreadsheet would run as a formula.",
        )
        parser.add_argument(
            "--ties",
            action="store_true",
            help='jsonl: also write the queries without a majority, with the label "tie".',
        )
        parser.add_argument("--output", required=True, metavar="FILE", help="The file to write.")

    def handle(self, **options: Any) -> None:
        layout = options["format"]
        labels = exported_labels(
            batch=batch_get(name=options["batch"]),
            category=options["category"],
            ties=options["ties"] and layout == "jsonl",
            votes=layout == "jsonl",
        )
        text = "".join(
            lines(labels, layout=layout, quote=options["quote"], spreadsheet=options["spreadsheet"])
        )
        write_text(options["output"], text)
        if options["as_json"]:
            self.print_json({"n_queries": len(labels), "output": options["output"]})
        else:
            self.stdout.write(f"{len(labels):,} queries written to {options['output']}.")
