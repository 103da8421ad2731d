"""import_approvals: a panel's list of submissions says whose votes count."""

from pathlib import Path
from typing import Any

from django.core.management.base import CommandParser

from annotation.batches.queries.batches import batch_get
from annotation.core.commands import actor
from annotation.workers.operations.approvals import approvals_import
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Import the list of submissions that a panel exports. Votes of participants whom it "
        "approved count from now on; labels that were decided are decided again."
    )
    example = "import_approvals study prolific_export.csv"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("batch", metavar="B", help="Name of the batch they worked on.")
        parser.add_argument(
            "file", metavar="CSV", help="With the columns Participant id, Submission id, Status."
        )

    def handle(self, *, batch: str, file: str, as_json: bool, **_: Any) -> None:
        report = approvals_import(batch=batch_get(name=batch), path=Path(file), actor=actor())
        if as_json:
            self.print_json({"batch": batch, **report._asdict()})
        else:
            self.stdout.write(
                f"{report.verified} participants verified, {report.waiting} wait, "
                f"{report.refused} are not approved; {report.not_here} of the list never came here."
            )
