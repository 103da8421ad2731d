"""bundle: one zip with everything that the numbers of a study follow from."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.reports.bundle.archive import BUNDLE, write_archive
from annotation.reports.bundle.contents import bundle_files
from annotation.reports.queries.bundle import study_bundle
from metrics.cli.run_arguments import (
    add_measured_run_options,
    add_order_option,
    measured_runs,
)
from metrics.io.outputs import add_output_option, output_file
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Write a batch as one zip: queries, votes under pseudonyms, labels, agreement, the pool, "
        "the page that annotators saw, parameters, versions and checksums, a datasheet; with runs "
        "also their top documents with counts and the bias. The same study gives the same bytes."
    )
    example = "bundle study --magnitudes magnitudes.parquet --run BM25=bm25.run --output study.zip"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of a batch with labels.")
        add_output_option(parser, output_file(BUNDLE), "B.zip")
        run_help = "A run to put in; may be given several times (default: none)."
        add_measured_run_options(parser, help=run_help)
        add_order_option(parser)

    def handle(self, **options: Any) -> None:
        runs = measured_runs(options)
        study = study_bundle(
            batch=batch_get(name=options["batch"]),
            magnitudes=options["magnitudes"],
            runs=runs,
            missing=options["missing"],
            order=options["order"],
        )
        files = bundle_files(study)
        output = options["output"]
        write_archive(output, files)
        shown = {"output": output, "files": sorted(files)}
        self.print_result(options, shown, f"{len(files)} files written to {output}.")
