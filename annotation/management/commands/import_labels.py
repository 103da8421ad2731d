"""import_labels: decided labels in the released layout as a batch."""

from typing import Any

from django.core.management.base import CommandParser

from annotation.labels.operations.labels_import import labels_import
from annotation.management.arguments import add_study_option, study_of
from annotation.vocabulary import Category
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Import decided labels (lines qid,query,label, no header) as a batch without votes."
    example = "import_labels queries_gender_annotated.csv --name released"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "file", metavar="FILE", help="Lines qid,query,label with n, f, m or o; no quoting."
        )
        parser.add_argument("--name", required=True, metavar="B", help="Name of the new batch.")
        add_study_option(parser)

    def handle(self, **options: Any) -> None:
        report = labels_import(path=options["file"], name=options["name"], study=study_of(options))
        if options["as_json"]:
            self.print_json(report.as_dict())
            return
        counts = ", ".join(
            f"{count:,} {Category(code).label.lower()}" for code, count in report.labels.items()
        )
        self.stdout.write(f"{report.name}: {report.n_queries:,} labelled queries: {counts}.")
