"""A report also for the queries of a labelled batch, which only the site knows."""

from argparse import ArgumentParser
from typing import Any

from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.reports.queries.measured import (
    LabelSource,
    labels_note,
    labels_warnings,
    queries_of,
)
from metrics.cli.report import MeasuredQueries, Report
from metrics.cli.run_arguments import add_run_arguments
from metrics.errors import InputError


class Command(Report, FairpoolCommand):
    help = f"{Report.help} The queries are those of a labelled batch or of a file."
    example = (
        "report make study --scores magnitudes.parquet --run BM25=bm25.run --run BERT=bert.run "
        "--output report"
    )

    def add_runs(self, parser: ArgumentParser) -> None:
        add_run_arguments(
            parser,
            category="",
            categories=None,
            which="Which queries of the batch: a code, several with ; between them, or all; left "
            "out, its subset. Of a file qid,text,label: n, f, m, o or all; left out, n.",
        )
        # The queries are always given here: there is nothing to choose.
        parser.set_defaults(population="default")

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "batch",
            metavar="BATCH",
            nargs="?",
            help="Name of a labelled batch (or --queries FILE).",
        )
        super().add_arguments(parser)

    def study(self, options: dict[str, Any]) -> MeasuredQueries:
        name = options["batch"]
        if (name is None) == (options["queries"] is None):
            raise InputError(
                "the queries of the study are not clear.",
                remedy="Give either the name of a labelled batch or --queries FILE.",
            )
        if name is None:
            return super().study(options)
        batch = get_batch(name=name)
        source = LabelSource([batch], options["category"])
        queries, notes = queries_of(source)
        remarks = [*notes, *labels_warnings(batches=[batch])]
        return MeasuredQueries(queries, labels_note(batch=batch), remarks, source.words)
