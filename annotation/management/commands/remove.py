"""remove: hide a study, or something of it, and delete it a day later."""

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from annotation.core.commands import OperationCommand, ask
from annotation.core.operations import Actor
from annotation.core.perform import estimate
from annotation.overview.operations.remove import REMOVE
from metrics.errors import InputError


class Command(OperationCommand):
    operation = REMOVE
    example = "remove gender-2026 --what batch --name pilot --yes"

    def _agreed(
        self, subject: Any, sent: Mapping[str, Any], who: Actor, options: Mapping[str, Any]
    ) -> Decimal | None:
        """Nothing is paid; a person is told what goes, and asked."""
        facts = estimate(REMOVE, subject, sent, who).facts
        text = "; ".join(f"{term}: {value}" for term, value in facts)
        if not options["yes"] and not (ask(f"Remove {text}? [y/N] ") or "").startswith("y"):
            raise InputError("nothing was done.", remedy="Answer y, or give --yes.")
        return None
