"""Print the settings that were read; prove from the rows that nothing was lost or overspent."""

import io
import json
from argparse import ArgumentParser
from typing import Any

from django.conf import settings
from django.core.management import call_command

from annotation.batches.operations.reconciling import reconcile
from annotation.batches.queries.batches import get_batch
from annotation.core.base_command import FairpoolCommand
from annotation.models import Batch
from annotation.overview.queries.invariants import INVARIANTS, broken_invariants
from metrics.errors import InputError


class Command(FairpoolCommand):
    help = (
        "Print the settings in force, without secrets, and check every invariant of the "
        "platform's and the crowd service's tables: one counting vote per worker and query, no "
        "HIT with too many answers, money within the budget, and more. Changes nothing. Run it "
        "while nothing is being published or collected."
    )
    example = "site check --reconcile study"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument(
            "--reconcile",
            action="append",
            default=[],
            metavar="BATCH",
            help="Also compare this batch with the crowd service; may be repeated.",
        )

    def handle(self, **options: Any) -> None:
        variables = settings.VARIABLES.shown()
        if not options["as_json"]:
            for variable in variables:
                if variable.is_set:
                    self.write(f"{variable.name} = {variable.value}")
            self.write("All other settings have their defaults (docs/settings.md).")
        batches = [get_batch(name=name) for name in options["reconcile"]]
        crowd = _crowd()
        broken = {**broken_invariants(), **crowd["broken"], **_told_by_the_crowd(batches)}
        checked = len(INVARIANTS) + crowd["checked"] + len(batches)
        lines = [
            line
            for name, breaches in broken.items()
            for line in (f"BROKEN  {name}", *(f"        {breach}" for breach in breaches))
        ]
        lines.append(f"{checked - len(broken)} of {checked} invariants hold.")
        settings_read = {variable.name: variable.value for variable in variables}
        result = {"checked": checked, "broken": broken, "settings": settings_read}
        self.print_result(options, result, lines)
        if broken:
            raise InputError(
                f"{len(broken)} invariants are broken: {'; '.join(broken)}.",
                remedy="Stop the workers, keep a copy of the data, and compare with a backup.",
            )


def _crowd() -> Any:
    """The crowd service checks its own tables: nobody else reads them."""
    output = io.StringIO()
    call_command("crowd", "invariants", stdout=output)
    return json.loads(output.getvalue())


def _told_by_the_crowd(batches: list[Batch]) -> dict[str, list[str]]:
    return {
        f"ledger and crowd agree on {name}": differences
        for name, differences in reconcile(*batches).items()
        if differences
    }
