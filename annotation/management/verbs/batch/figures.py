"""Figures of a whole pool from labels of a drawn sample and labels of models."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.options import ParametersCommand
from annotation.core.parameters import fields_of, read_parameters
from annotation.labels.queries.corrected import corrected_figures
from annotation.labels.queries.corrected_table import (
    FigureFileParameters,
    figure_rows,
    figures_text,
)
from annotation.labels.queries.stopping import stopping_of
from metrics.errors import InputError


class Command(ParametersCommand):
    help = (
        "Corrected figures of the pool that a batch's queries were drawn from: shares, mean bias "
        "of each run and differences to a baseline, by people alone, by models alone and by both."
    )
    example = "batch figures first --baseline BM25 --format latex"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="BATCH", help="Name of the batch.")
        self.add_fields(parser, fields_of(FigureFileParameters))

    def handle(self, **options: Any) -> None:
        batch = batch_get(name=options["batch"])
        with self.usage_errors():
            sent = self.sent(FigureFileParameters, options)
            parameters = read_parameters(FigureFileParameters, sent)
        found = corrected_figures(batch=batch, parameters=parameters)
        if found.why_not:
            raise InputError(found.why_not)
        state = found.sample and stopping_of(found.sample)
        shown = {
            "rows": figure_rows(found),
            "notes": list(found.notes),
            "stopping": state and asdict(state),
        }
        self.print_result(options, shown, figures_text(found, parameters.layout).rstrip())
        for note in found.notes:
            self.note(note)
        if state:
            self.note(state.sentence)
