"""End background work at its next step."""

from argparse import ArgumentParser
from typing import Any

from annotation.core.base_command import FairpoolCommand
from annotation.core.task_queue import task_cancel
from annotation.management.readings.job import line_of, row_of
from metrics.cli.numbers import whole_number


class Command(FairpoolCommand):
    help = "Cancel a background job: it ends at its next step, and what it has done stays done."
    example = "job cancel 7"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "job",
            type=whole_number(1),
            metavar="ID",
            help="Number of the job, as `job list` shows it.",
        )

    def handle(self, **options: Any) -> None:
        task = task_cancel(task_id=options["job"])
        self.print_result(options, {"tasks": [row_of(task)]}, line_of(task))
