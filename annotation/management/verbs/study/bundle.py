"""One zip with everything that the numbers of a study follow from."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.queries.members import get_study
from annotation.core.base_command import FairpoolCommand
from annotation.reports.bundle.archive import BUNDLE
from annotation.reports.bundle.contents import write_bundle
from annotation.reports.queries.bundle import study_bundle
from metrics.io.outputs import add_output_option, output_file


class Command(FairpoolCommand):
    help = (
        "Write a study as one zip: its pools, batches with queries, votes under pseudonyms, "
        "labels, agreement and the page that annotators saw, bias reports, versions and checksums, "
        "a datasheet. What is archived is left out. The same study gives the same bytes."
    )
    example = "study bundle gender-2026 --include-files --output gender-2026.zip"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        add_output_option(parser, output_file(BUNDLE), "B.zip")
        parser.add_argument(
            "--include-files",
            action="store_true",
            help="Include its files, so that others can measure it again.",
        )

    def handle(self, **options: Any) -> None:
        study = get_study(name=options["study"])
        output = options["output"]
        bundle = study_bundle(study=study, include_files=options["include_files"])
        files = write_bundle(output, bundle)
        self.print_result(
            options,
            {"output": output, "files": files},
            f"{len(files)} files written to {output}.",
        )
