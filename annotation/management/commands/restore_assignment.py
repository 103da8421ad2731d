"""Take back the rejection of an answer."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.arguments import actor, add_review_arguments
from annotation.selectors.batches import batch_get
from annotation.services.reviewing import assignment_get, assignment_restore
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Pay for an answer that was rejected, within 30 days; its votes count again."
    example = 'restore_assignment first 3ABC --reason "We were wrong, sorry."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_review_arguments(parser)

    def handle(self, *, name: str, assignment: str, reason: str, as_json: bool, **_: Any) -> None:
        found = assignment_get(batch=batch_get(name=name), assignment_id=assignment)
        assignment_restore(assignment=found, reason=reason, actor=actor())
        if as_json:
            self.print_json({"assignment": assignment, "state": found.state})
        else:
            self.stdout.write(f"{assignment}: approved; its votes count again.")
