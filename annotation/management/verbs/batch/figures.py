"""Figures of a whole pool from labels of a drawn sample and labels of models."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import get_batch
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
        batch = get_batch(name=options["batch"])
        with self.usage_errors():
            values = self.sent(FigureFileParameters, options)
            parameters = read_parameters(FigureFileParameters, values)
        figures = corrected_figures(batch=batch, parameters=parameters)
        if figures.why_not:
            raise InputError(figures.why_not)
        state = figures.sample and stopping_of(figures.sample)
        result = {
            "rows": figure_rows(figures),
            "notes": list(figures.notes),
            "stopping": state and asdict(state),
        }
        self.print_result(options, result, figures_text(figures, parameters.layout).rstrip())
        for note in figures.notes:
            self.note(note)
        if state:
            self.note(state.sentence)
