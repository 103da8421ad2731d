"""Collect what workers handed in for a batch."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from annotation.management.arguments import actor
from annotation.selectors.batches import batch_get
from annotation.services.collecting import batch_collect, hits_open
from annotation.services.reviewing import batch_approve
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Collect a batch's answers as votes. Running it again changes nothing."
    example = "sync_batch first --approve"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")
        parser.add_argument(
            "--approve",
            action="store_true",
            help="Also pay for every readable answer. Nothing is ever rejected by itself.",
        )

    def handle(self, *, name: str, approve: bool, quiet: bool, as_json: bool, **_: Any) -> None:
        batch = batch_get(name=name)
        total = hits_open(batch).count()
        with self.progress("Collecting", total=total, unit="HITs", quiet=quiet) as advance:
            report = batch_collect(batch_id=batch.pk, actor=actor(), advance=advance)
        approved = batch_approve(batch_id=batch.pk, actor=actor()) if approve else 0
        if as_json:
            self.print_json({"name": name, **asdict(report), "approved": approved})
        else:
            self.stdout.write(
                f"{name}: {report.new:,} new answers with {report.votes:,} votes, "
                f"{report.quarantined:,} of them set aside as unreadable; {approved:,} approved."
            )
        if report.incomplete:
            hit_id, reason = next(iter(report.incomplete.items()))
            raise InputError(
                f"the answers of {len(report.incomplete)} HITs could not be read; {hit_id}: "
                f"{reason.rstrip('.')}.",
                remedy="Run the command again; nothing was lost.",
            )
