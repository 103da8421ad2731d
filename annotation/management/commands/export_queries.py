"""export_queries: labelled queries to a file."""

import re
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.labels.export.labels import FORMATS, lines
from annotation.labels.queries.labels import exported_labels, with_votes
from annotation.vocabulary import Category
from metrics.io.file_kinds import line_kind
from metrics.io.files import write_text
from metrics.io.outputs import add_force_option, output_file
from metrics.management.command import FairpoolCommand

_LINE = re.compile(rf'[^,\t]+,.*,"?({"|".join(Category)})"?\r?|[^\t]+\t[^\t]+|\{{"qid": .*')
_QUERIES = line_kind("a file of queries", lambda line: _LINE.fullmatch(line) is not None)


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
            "--header",
            action="store_true",
            help="csv: standard CSV below the header qid,query,label, as pandas.read_csv reads it.",
        )
        parser.add_argument(
            "--spreadsheet",
            action="store_true",
            help="For programs that guess what a cell is: a byte order mark, and every cell text.",
        )
        parser.add_argument(
            "--ties",
            action="store_true",
            help='jsonl: also write the queries without a majority, with the label "tie".',
        )
        parser.add_argument(
            "--output",
            required=True,
            type=output_file(_QUERIES),
            metavar="FILE",
            help="The file to write.",
        )
        add_force_option(parser)

    def handle(self, **options: Any) -> None:
        layout = options["format"]
        batch, jsonl = batch_get(name=options["batch"]), layout == "jsonl"
        labels = exported_labels(
            batch=batch, category=options["category"], ties=options["ties"] and jsonl
        )
        if jsonl:
            labels = with_votes(labels, batch=batch)
        flags = {name: options[name] for name in ("quote", "header", "spreadsheet")}
        text = "".join(lines(labels, layout=layout, **flags))
        write_text(options["output"], text)
        if options["as_json"]:
            self.print_json({"n_queries": len(labels), "output": options["output"]})
        else:
            self.stdout.write(f"{len(labels):,} queries written to {options['output']}.")
