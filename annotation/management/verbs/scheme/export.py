"""The answers to the scheme of a batch, and what is decided by them, to a file."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.labels.queries.scheme_files import SCHEME_FILES, scheme_file
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_lines
from metrics.io.outputs import add_output_option, output_file

_FILE = text_kind("a file of a scheme", "qid,query,", "worker,question,", "name: ")


class Command(FairpoolCommand):
    help = (
        "Write a file of the questions of a batch: the labels with one query a line, the votes "
        "under pseudonyms, the quality of the answers by worker and question, the queries of the "
        "subset, or the scheme itself."
    )
    example = "scheme export study --file labels --output labels.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        parser.add_argument(
            "--file",
            choices=SCHEME_FILES,
            default="labels",
            help="What to write: `labels`, `votes` and `quality` are CSV, `subset` is qid<TAB>query"
            " lines, `scheme` YAML (default: %(default)s).",
        )
        add_output_option(parser, output_file(_FILE), "FILE")

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        lines, *_ = scheme_file(batch=batch, file=options["file"])
        output = options["output"]
        n = write_lines(output, lines)
        self.print_result(
            options, {"n_lines": n, "output": output}, f"{n:,} lines written to {output}."
        )
