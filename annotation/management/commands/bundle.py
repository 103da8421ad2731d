"""bundle: one zip with everything that the numbers of a study follow from."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.bundle.archive import write_archive
from annotation.bundle.contents import bundle_files
from annotation.selectors.batches import batch_get
from annotation.selectors.bundle import study_bundle
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand
from metrics.management.run_arguments import (
    add_missing_option,
    add_order_option,
    add_run_option,
    named_paths,
)


class Command(FairpoolCommand):
    help = (
        "Write a batch as one zip: queries, votes under pseudonyms, labels, agreement, the pool, "
        "the page that annotators saw, parameters, versions and checksums, a datasheet; with runs "
        "also their top documents with counts and the bias. The same study gives the same bytes."
    )
    example = "bundle study --magnitudes magnitudes.parquet --run BM25=bm25.run --output study.zip"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of a batch with labels.")
        parser.add_argument("--output", required=True, metavar="B.zip", help="The file to write.")
        parser.add_argument(
            "--magnitudes", metavar="M.parquet", help="Scored collection of the runs."
        )
        add_run_option(
            parser,
            required=False,
            help="A run to put in; may be given several times (default: none).",
        )
        add_missing_option(parser)
        add_order_option(parser)

    def handle(self, **options: Any) -> None:
        runs = named_paths(options["runs"])
        if bool(runs) != bool(options["magnitudes"]):
            raise InputError("--run and --magnitudes need each other.", remedy="Give both.")
        study = study_bundle(
            batch=batch_get(name=options["batch"]),
            magnitudes=options["magnitudes"],
            runs=runs,
            missing=options["missing"],
            order=options["order"],
        )
        files = bundle_files(study)
        write_archive(options["output"], files)
        if options["as_json"]:
            self.print_json({"output": options["output"], "files": sorted(files)})
        else:
            self.stdout.write(f"{len(files)} files written to {options['output']}.")
