"""`crowd_sweep`: let time pass in the crowd service, and send what could not be sent."""

from typing import Any

from django.core.management.base import BaseCommand

from annotation.mturk_local import clock
from annotation.mturk_local.lifecycle.events import deliver_all
from annotation.mturk_local.lifecycle.sweep import sweep


class Command(BaseCommand):
    help = (
        "Abandon, approve, expire and dispose of what is due, and try undelivered notifications "
        "again. Not needed for correct answers: every request does the first by itself. Run it "
        "every few minutes where requesters rely on notifications."
    )
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        sweep(clock.now())
        self.stdout.write(f"{deliver_all()} notifications wait for their receivers.")
