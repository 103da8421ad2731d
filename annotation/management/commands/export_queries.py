"""export_queries: labelled queries to a file."""

import re
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.queries.exporting import ExportParameters, labels_to_export, lines_of
from annotation.vocabulary import Category
from metrics.io.file_kinds import line_kind
from metrics.io.files import write_text
from metrics.io.outputs import add_output_option, output_file

_LINE = re.compile(rf'[^,\t]+,.*,"?({"|".join(Category)})"?\r?|[^\t]+\t[^\t]+|\{{"qid": .*')
_QUERIES = line_kind("a file of queries", lambda line: _LINE.fullmatch(line) is not None)


class Command(ParametersCommand):
    help = (
        "Write the labelled queries of a batch in the batch's order. A tie is no category and is "
        "left out. Texts are written byte for byte."
    )
    example = "export_queries study --category n --output nongendered.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch.")
        fields = fields_of(ExportParameters)
        fields["category"].default = "all"
        self.add_fields(parser, fields)
        add_output_option(parser, output_file(_QUERIES), "FILE")

    def handle(self, **options: Any) -> None:
        batch = batch_get(name=options["batch"])
        sent = {"category": "all"} | self.sent(ExportParameters, options)
        with self.usage_errors():
            parameters = read_parameters(ExportParameters, sent)
        labels = labels_to_export(batch=batch, parameters=parameters)
        output, n = options["output"], len(labels)
        write_text(output, "".join(lines_of(labels, parameters)))
        shown = {"n_queries": n, "output": output}
        self.print_result(options, shown, f"{n:,} queries written to {output}.")
