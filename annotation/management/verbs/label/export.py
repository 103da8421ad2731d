"""Labelled queries to a file."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.counting import counted
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of
from annotation.labels.export.file_formats import kind_of_file
from annotation.labels.export.formats import LABEL_FORMATS
from annotation.labels.queries.exporting import (
    EXPORT_PARAMETERS,
    export_content,
    lines_of,
    read_export,
)
from metrics.io.files import write_text
from metrics.io.outputs import add_output_option, output_file


class Command(ParametersCommand):
    help = (
        "Write the labelled queries of a batch in the batch's order. A tie is not a category and "
        "is left out. Texts are written byte for byte. Qrels have the graded pairs of query and "
        "passage."
    )
    example = "label export study --category n --output nongendered.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        self.add_fields(parser, fields_of(EXPORT_PARAMETERS))
        kind = kind_of_file("a file of queries", LABEL_FORMATS)
        add_output_option(parser, output_file(kind), "FILE")

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        with self.usage_errors():
            parameters = read_export(self.sent(EXPORT_PARAMETERS, options))
        export = export_content(batch=batch, parameters=parameters)
        output, n = options["output"], len(export.labels)
        write_text(output, "".join(lines_of(export.labels, parameters)))
        result = {"n_queries": n, "output": output}
        if graded := export.judgments:
            result |= {"n_gold": graded.n_gold, "n_undecided": graded.n_undecided}
        line = f"{counted(n, batch.scheme.item_noun)} written to {output}. {export.left_out}"
        self.print_result(options, result, line.rstrip())
