"""The stop button of a batch."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.arguments import actor
from annotation.selectors.batches import batch_get
from annotation.services.stopping import batch_expire
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Stop a batch: offer none of its HITs any more. Whoever has accepted one may still hand it "
        "in, and sync_batch collects it."
    )
    example = "expire_batch first"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")

    def handle(self, *, name: str, quiet: bool, as_json: bool, **_: Any) -> None:
        batch = batch_get(name=name)
        with self.progress("Expiring", total=batch.hits.count(), unit="HITs", quiet=quiet) as step:
            report = batch_expire(batch_id=batch.pk, actor=actor(), advance=step)
        if as_json:
            self.print_json({"name": name, "expired": report.expired, "failed": report.failed})
        else:
            self.stdout.write(f"{name}: {report.expired:,} HITs expired.")
        if report.failed:
            hit_id, reason = next(iter(report.failed.items()))
            raise InputError(
                f"{len(report.failed)} HITs may still be offered; {hit_id}: {reason}",
                remedy="Run the command again.",
            )
