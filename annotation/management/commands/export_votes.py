"""export_votes: the votes of a batch to a file that import_votes reads."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.labels.export.votes import FORMATS
from annotation.labels.queries.votes_export import vote_lines
from metrics.io.file_kinds import text_kind
from metrics.io.files import write_lines
from metrics.io.outputs import add_output_option, output_file
from metrics.management.command import FairpoolCommand

_VOTES = text_kind("a file of votes", "query_id,worker,label", "HITId,", '"HITId",')


class Command(FairpoolCommand):
    help = (
        "Write the votes of a batch under pseudonyms: one vote per line, or in the layout of "
        "Mechanical Turk's results with one assignment per line. import_votes reads both."
    )
    example = "export_votes study --format mturk --output results.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        parser.add_argument(
            "--format",
            choices=FORMATS,
            default="plain",
            help="plain: query_id,worker,label,query,gold,seconds; mturk: as Amazon's batch "
            "results, also what was rejected or unreadable (default: %(default)s).",
        )
        add_output_option(parser, output_file(_VOTES), "FILE")

    def handle(self, **options: Any) -> None:
        lines = vote_lines(batch=batch_get(name=options["batch"]), layout=options["format"])
        # The first line names the columns.
        output = options["output"]
        n = write_lines(output, lines) - 1
        self.print_result(
            options, {"n_rows": n, "output": output}, f"{n:,} rows written to {output}."
        )
