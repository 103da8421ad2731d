"""Says whether this machine can work with its crowd."""

from dataclasses import asdict
from typing import Any

from annotation.crowd.doctor import examine
from metrics.errors import InputError
from metrics.management.command import FairpoolCommand


class Command(FairpoolCommand):
    help = "Say in plain words whether the crowd can be reached, with which account and clock."
    example = "mturk_doctor"

    def handle(self, *, as_json: bool, **_: Any) -> None:
        findings = examine()
        wrong = [finding for finding in findings if not finding.ok]
        if as_json:
            self.print_json({"ok": not wrong, "findings": [asdict(one) for one in findings]})
        else:
            for finding in findings:
                mark = "ok   " if finding.ok else "WRONG"
                self.stdout.write(f"{mark} {finding.subject}: {finding.says}")
        if wrong:
            first = wrong[0]
            raise InputError(f"{first.subject}: {first.says.rstrip('.')}.", remedy=first.remedy)
