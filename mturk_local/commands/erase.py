"""Delete an annotator's identity; submitted answers stay."""

from argparse import ArgumentParser
from datetime import timedelta
from typing import Any

from django.core.management.base import BaseCommand, CommandError
from django.db.models import Q
from django.utils import timezone

from mturk_local.models import Worker
from mturk_local.numbers import whole_number
from mturk_local.workers import AtWorkError, worker_erase, workers_at_rest


class Command(BaseCommand):
    help = (
        "Delete for good who an annotator of our own crowd service is: account, invitation, panel, "
        "messages, qualifications. Answers stay under a random id that leads to nobody."
    )
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: ArgumentParser) -> None:
        whom = parser.add_mutually_exclusive_group(required=True)
        whom.add_argument("who", nargs="?", help="The name of the account, or the worker's id.")
        whom.add_argument(
            "--idle-days",
            type=whole_number(1, 36_500),
            metavar="DAYS",
            help="Erase everybody who has not worked for so long. Run it daily, so that nobody "
            "is kept longer.",
        )

    def handle(self, *_args: Any, who: str | None, idle_days: int, **_options: Any) -> None:
        if who is None:
            self._erase_idle(idle_days)
        else:
            self._erase(who)

    def _erase(self, who: str) -> None:
        worker = Worker.objects.filter(Q(username=who) | Q(worker_id=who)).first()
        if worker is None:
            raise CommandError(f"There is neither an account nor a worker {who!r}.")
        try:
            worker_erase(worker=worker)
        except AtWorkError:
            raise CommandError(
                "They have a HIT, or an answer of theirs waits for its pay. Approve or reject "
                "it, or wait until the HIT has run out, and try again."
            ) from None
        self.stdout.write(
            f"Worker {worker.worker_id} is erased. Studies keep what they collected: see "
            f"erase_worker {worker.worker_id}."
        )

    def _erase_idle(self, days: int) -> None:
        erased = waiting = 0
        for worker in workers_at_rest(since=timezone.now() - timedelta(days=days)):
            try:
                worker_erase(worker=worker)
                erased += 1
            except AtWorkError:
                waiting += 1
        self.stdout.write(f"{erased:,} erased; {waiting:,} still have to be paid.")
