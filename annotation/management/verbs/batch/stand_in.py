"""Test whether a model may stand in for an annotator of a batch."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.queries.stand_in import (
    NOT_VALIDITY,
    StandInParameters,
    stand_in_rows,
    stand_in_tests,
)


class Command(ParametersCommand):
    help = (
        "Test for each model of the study whether it may stand in for an annotator of the batch "
        "(the alternative-annotator test), with the sentence to print."
    )
    example = "batch stand-in first --epsilon 0.1"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        self.add_fields(parser, fields_of(StandInParameters))

    def handle(self, **options: Any) -> None:
        batch = get_batch(name=options["batch"])
        with self.usage_errors():
            values = self.sent(StandInParameters, options)
            parameters = read_parameters(StandInParameters, values)
        tests = stand_in_tests(batch=batch, parameters=parameters)
        lines = [f"{test.model}: {test.sentence or test.why_not}" for test in tests]
        result = {"models": stand_in_rows(tests), "note": NOT_VALIDITY}
        self.print_result(options, result, [*lines, NOT_VALIDITY])
