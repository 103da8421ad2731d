"""Publish a batch; run again after any interruption, it goes on where it stopped."""

import sys
from argparse import ArgumentParser
from typing import Any

from annotation.management.arguments import actor
from annotation.models import Batch
from annotation.selectors.batches import batch_get
from annotation.services.preflight import cost_to_come, hits_unpublished_count
from annotation.services.publisher import PublishReport
from annotation.services.publishing import batch_publish
from annotation.vocabulary import Environment
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Publish a batch's HITs. May be interrupted and run again: each HIT exists once."
    example = "publish_batch first --yes"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("name", help="Name of the batch.")
        parser.add_argument("--yes", action="store_true", help="Do not ask (not in production).")
        parser.add_argument(
            "--amount", help="Production only: the full cost in USD, typed by a person."
        )

    def handle(
        self, *, name: str, yes: bool, amount: str | None, quiet: bool, as_json: bool, **_: Any
    ) -> None:
        batch = batch_get(name=name)
        self._confirm(batch, yes=yes, amount=amount)
        total = hits_unpublished_count(batch)
        with self.progress("Publishing", total=total, unit="HITs", quiet=quiet) as advance:
            report = batch_publish(batch_id=batch.pk, actor=actor(), advance=advance)
        if as_json:
            self.print_json(_summary(batch, report))
        else:
            self.stdout.write(f"{name}: {report.published:,} HITs published.")
        _complain(report)

    def _confirm(self, batch: Batch, *, yes: bool, amount: str | None) -> None:
        cost = cost_to_come(batch)
        where = batch.get_environment_display()
        if batch.environment == Environment.PRODUCTION:
            typed = amount if amount is not None else _ask(f"{cost} USD of real money. Type it: ")
            if typed != str(cost):
                raise InputError(
                    f"publishing spends {cost} USD of real money, and that was not typed.",
                    remedy=f"Give --amount {cost} to agree.",
                )
        elif not yes and not _ask(f"Publish to {where} for {cost} USD? [y/N] ").startswith("y"):
            raise InputError("nothing was published.", remedy="Answer y, or give --yes.")


def _ask(question: str) -> str:
    """What a person answers; nothing where there is no person."""
    if not sys.stdin.isatty():
        return ""
    return input(question).strip().lower()


def _summary(batch: Batch, report: PublishReport) -> dict[str, Any]:
    batch.refresh_from_db()
    return {
        "name": batch.name,
        "state": batch.state,
        "published": report.published,
        "refused": {str(index): reason for index, reason in report.refused.items()},
        "unresolved": {str(index): reason for index, reason in report.unresolved.items()},
        "committed": str(batch.committed),
    }


def _complain(report: PublishReport) -> None:
    troubles = {**report.refused, **report.unresolved}
    if troubles:
        index, reason = next(iter(troubles.items()))
        raise InputError(
            f"{len(report.refused)} HITs were refused, and of {len(report.unresolved)} nobody "
            f"knows whether they exist. HIT {index + 1}: {reason.rstrip('.')}.",
            remedy="All others are published. Run the command again for these.",
        )
