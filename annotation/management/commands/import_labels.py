"""import_labels: decided labels in the released layout as a batch."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.core.commands import actor
from annotation.core.operations import Actor
from annotation.core.options import ParametersCommand
from annotation.core.perform import perform_here
from annotation.labels.operations.labels_import import IMPORT_LABELS
from annotation.management.arguments import add_study_option, study_of


class Command(ParametersCommand):
    help = IMPORT_LABELS.about
    example = "import_labels queries_gender_annotated.csv --name released"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file",
            type=Path,
            metavar="FILE",
            help="Lines qid,query,label with n, f, m or o; no quoting.",
        )
        parser.add_argument("--name", required=True, metavar="B", help="Name of the new batch.")
        add_study_option(parser)

    def handle(self, **options: Any) -> None:
        sent = self.sent(IMPORT_LABELS.parameters, options)
        with self.usage_errors():
            done = perform_here(IMPORT_LABELS, study_of(options), sent, Actor(actor()))
        if options["as_json"]:
            self.print_json(done.values)
        else:
            self.stdout.write(f"{options['name']}: {done.message}")
