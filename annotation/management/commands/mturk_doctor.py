"""Says whether this machine can work with its crowd."""

from typing import Any

from annotation.crowd.doctor import examine
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Say in plain words whether the crowd can be reached, with which account and clock."
    example = "mturk_doctor"

    def handle(self, **options: Any) -> None:
        findings = examine()
        wrong = [finding for finding in findings if not finding.ok]
        lines = (f"{'ok   ' if one.ok else 'WRONG'} {one.subject}: {one.says}" for one in findings)
        self.print_result(options, {"ok": not wrong, "findings": findings}, lines)
        if wrong:
            first = wrong[0]
            raise InputError(f"{first.subject}: {first.says.rstrip('.')}.", remedy=first.remedy)
