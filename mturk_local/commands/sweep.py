"""Apply the passing of time in the crowd service, and send delayed notifications."""

from typing import Any

from django.core.management.base import BaseCommand
from django.utils import timezone

from mturk_local.lifecycle.events import deliver_due
from mturk_local.lifecycle.sweep import sweep


class Command(BaseCommand):
    help = (
        "Abandon, approve, expire and dispose of what is due, and post the notifications that "
        "wait. Workers do this all the time; without a worker, requests do a little of it."
    )
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        sweep(timezone.now())
        self.stdout.write(f"{deliver_due()} notifications wait for their receivers.")
