"""Delete a settled batch's HITs at the crowd."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from annotation.batches.operations.disposing import batch_dispose
from annotation.batches.queries.batches import batch_get
from annotation.core.commands import actor
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Delete a batch's HITs at the crowd, once all work is reviewed. Our own record stays."
    example = "dispose_batch first"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")

    def handle(self, *, name: str, as_json: bool, **_: Any) -> None:
        report = batch_dispose(batch_id=batch_get(name=name).pk, actor=actor())
        if as_json:
            self.print_json({"name": name, **asdict(report)})
        else:
            self.stdout.write(f"{name}: {report.disposed:,} HITs deleted at the crowd.")
        if report.waiting:
            hit_id, reason = next(iter(report.waiting.items()))
            raise InputError(
                f"{len(report.waiting)} HITs cannot be deleted yet; {hit_id}: {reason}",
                remedy="Stop the batch, review all answers, and run the command again.",
            )
