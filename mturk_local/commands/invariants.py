"""Check everything that must hold in the crowd service's tables."""

import json
from typing import Any

from django.core.management.base import BaseCommand, CommandParser

from mturk_local.invariants import INVARIANTS, broken_invariants


class Command(BaseCommand):
    help = "Print, as JSON, which invariants of the crowd service are broken, and by what."
    requires_system_checks: list[str] = []

    def add_arguments(self, parser: CommandParser) -> None:
        parser.add_argument("--quiet", action="store_true", help="Accepted; nothing else is said.")

    def handle(self, *_args: Any, **_options: Any) -> None:
        result = {"checked": len(INVARIANTS), "broken": broken_invariants()}
        self.stdout.write(json.dumps(result, indent=2))
