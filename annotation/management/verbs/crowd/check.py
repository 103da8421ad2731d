"""Command: check that this machine can work with its crowd service."""

from typing import Any

from annotation.core.base_command import FairpoolCommand
from annotation.crowd.doctor import examine
from metrics.errors import InputError


class Command(FairpoolCommand):
    help = "Say in plain words whether the crowd can be reached, with which account and clock."
    example = "crowd check"

    def handle(self, **options: Any) -> None:
        findings = examine()
        wrong = [finding for finding in findings if not finding.ok]
        lines = (
            f"{'ok   ' if finding.ok else 'WRONG'} {finding.subject}: {finding.says}"
            for finding in findings
        )
        self.print_result(options, {"ok": not wrong, "findings": findings}, lines)
        if wrong:
            first = wrong[0]
            raise InputError(f"{first.subject}: {first.says.rstrip('.')}.", remedy=first.remedy)
