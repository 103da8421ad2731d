"""apply_retention: delete what has been kept for long enough."""

from dataclasses import asdict
from typing import Any

from django.core.management.base import CommandParser

from annotation.overview.operations.retention import retention_apply
from metrics.cli.numbers import whole_number
from metrics.management.command import FairpoolCommand

#: A hundred years.
_MOST_DAYS = 36_500
_SAID = {
    "workers": "workers forgotten",
    "waiting": "workers to be forgotten once they are paid and the crowd is there",
    "sign_ins": "failed sign-ins that no longer count",
    "sessions": "sessions that have ended",
    "tokens": "tokens that have ended",
    "uploads": "uploads that were never finished",
    "removed": "things deleted that people had removed",
}


class Command(FairpoolCommand):
    help = (
        "Delete what has been kept for long enough; beat and the embedded worker do it once a day. "
        "Votes and money stay."
    )
    example = "apply_retention --days 180"

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument(
            "--days",
            type=whole_number(0, _MOST_DAYS),
            help="Days after a batch's last work until its workers are forgotten, 0 for never "
            "(default: FAIRPOOL_RETENTION_DAYS).",
        )

    def handle(self, **options: Any) -> None:
        cleared = asdict(retention_apply(days=options["days"]))
        lines = (f"{number} {_SAID[name]}" for name, number in cleared.items())
        self.print_result(options, cleared, lines)
