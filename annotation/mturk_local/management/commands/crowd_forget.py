"""`crowd_forget`: delete who an annotator is; what was handed in stays."""

from argparse import ArgumentParser
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q

from annotation.mturk_local.models import Worker
from annotation.mturk_local.workers import AtWorkError, worker_forget


class Command(BaseCommand):
    help = (
        "Delete for good who an annotator of our own crowd service is: account, invitation, panel, "
        "messages, qualifications. Answers stay under a random id that leads to nobody. "
        "Example: crowd_forget anna"
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("who", help="The name of the account, or the worker's id.")

    def handle(self, *_args: Any, who: str, **_options: Any) -> None:
        worker = Worker.objects.filter(Q(username=who) | Q(worker_id=who)).first()
        if worker is None:
            raise CommandError(f"There is neither an account nor a worker {who!r}.")
        try:
            worker_forget(worker=worker)
        except AtWorkError:
            raise CommandError(
                "They have a HIT, or an answer of theirs waits for its pay. "
                "Approve or reject it, or wait until the HIT has run out, and ask again."
            ) from None
        self.stdout.write(
            f"Worker {worker.worker_id} is nobody now. "
            f"Studies keep what they collected: see forget_worker {worker.worker_id}."
        )
