"""Refuse to pay for one answer. A person's act; no program calls it."""

from argparse import ArgumentParser
from typing import Any

from annotation.management.arguments import actor, add_review_arguments
from annotation.selectors.batches import batch_get
from annotation.services.reviewing import assignment_get, assignment_reject
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Reject one answer, with a reason that the worker reads. restore_assignment undoes it."
    example = 'reject_assignment first 3ABC --reason "All ten answers were left at the first."'

    def add_arguments(self, parser: ArgumentParser) -> None:
        add_review_arguments(parser)

    def handle(self, *, name: str, assignment: str, reason: str, as_json: bool, **_: Any) -> None:
        found = assignment_get(batch=batch_get(name=name), assignment_id=assignment)
        assignment_reject(assignment=found, reason=reason, actor=actor())
        if as_json:
            self.print_json({"assignment": assignment, "state": found.state})
        else:
            self.stdout.write(f"{assignment}: rejected; its votes do not count.")
