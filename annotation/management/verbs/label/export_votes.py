"""The votes of a batch to a file that can be imported again."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.export.file_formats import kind_of_file
from annotation.labels.export.formats import VOTE_FORMATS
from annotation.labels.queries.votes_export import VotesParameters, vote_lines
from metrics.io.files import write_lines
from metrics.io.outputs import add_output_option, output_file


class Command(ParametersCommand):
    help = (
        "Write the votes of a batch under pseudonyms, one vote or one assignment per line. "
        "`label import-votes` reads all formats."
    )
    example = "label export-votes study --format mturk --output results.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        self.add_fields(parser, fields_of(VotesParameters))
        add_output_option(
            parser, output_file(kind_of_file("a file of votes", VOTE_FORMATS)), "FILE"
        )

    def handle(self, **options: Any) -> None:
        with self.usage_errors():
            parameters = read_parameters(VotesParameters, self.sent(VotesParameters, options))
        lines = vote_lines(batch=get_batch(name=options["batch"]), parameters=parameters)
        # The first line names the columns.
        output = options["output"]
        n = write_lines(output, lines) - 1
        self.print_result(
            options, {"n_rows": n, "output": output}, f"{n:,} rows written to {output}."
        )
