"""Ask again for the answers that a batch lacks."""

from argparse import ArgumentParser
from dataclasses import asdict
from typing import Any

from annotation.management.arguments import actor
from annotation.selectors.batches import batch_get
from annotation.services.topping import batch_top_up
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = (
        "Collect, then ask for as many further answers as are unreadable, rejected or missing, for "
        "another lifetime. Also revives a batch that was stopped or has expired."
    )
    example = "top_up_batch first"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")

    def handle(self, *, name: str, quiet: bool, as_json: bool, **_: Any) -> None:
        batch = batch_get(name=name)
        with self.progress("Topping up", total=None, unit="HITs", quiet=quiet) as advance:
            report = batch_top_up(batch_id=batch.pk, actor=actor(), advance=advance)
        if as_json:
            self.print_json({"name": name, **asdict(report)})
        else:
            self.stdout.write(
                f"{name}: {report.added:,} assignments added, {report.reopened:,} HITs reopened."
            )
        if report.further_hits:
            self.note(
                f"{report.further_hits:,} further HITs ask for the rest, since a HIT of fewer than "
                "ten assignments cannot grow to ten. Who voted in the batch is kept out of them; "
                "the fee stays at 20 %, as each asks for fewer than ten."
            )
