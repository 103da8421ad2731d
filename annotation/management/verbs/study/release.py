"""A release written to a folder."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.accounts.queries.members import get_study
from annotation.core.options import ParametersCommand
from annotation.core.parameters import read_parameters
from annotation.reports.operations.make_release import MAKE_RELEASE, ReleaseParameters, terms_of
from annotation.reports.queries.release import study_release
from annotation.reports.release.contents import FOLDER, write_folder
from metrics.io.outputs import add_output_option, output_folder


class Command(ParametersCommand):
    help = MAKE_RELEASE.about
    example = (
        'study release gender-2026 --creators "Lovelace, Ada; Open Search Group" '
        "--license cc-by-4.0 --output gender-2026"
    )

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("study", metavar="STUDY", help="Name of the study.")
        self.add_parameters(parser, MAKE_RELEASE)
        add_output_option(parser, output_folder(FOLDER), "FOLDER", "The folder to write.")

    def handle(self, **options: Any) -> None:
        study = get_study(name=options["study"])
        with self.usage_errors():
            values = self.sent(ReleaseParameters, options)
            terms = terms_of(read_parameters(ReleaseParameters, values))
        output = options["output"]
        files = write_folder(Path(output), study_release(study=study, terms=terms))
        self.print_result(
            options,
            {"output": output, "files": files},
            f"{len(files)} files written to {output}.",
        )
