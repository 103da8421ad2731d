"""check: Django's own checks of the settings, and a check of the databases."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from django.core.management.base import CommandError
from django.core.management.commands import check
from django.db import connections

from annotation.core.database_faults import fault_in


class Command(check.Command):
    def uses_databases(self, _arguments: Sequence[str]) -> bool:
        """Return False: the command reads the databases, but does not create them."""
        return False

    def handle(self, *app_labels: Any, **options: Any) -> None:
        super().handle(*app_labels, **options)
        faults = {alias: fault_in(alias) for alias in connections if _is_there(alias)}
        lines = [f"{alias}: {fault}" for alias, fault in faults.items() if fault]
        if lines:
            raise CommandError("\n".join(lines))


def _is_there(alias: str) -> bool:
    """Return whether the database exists; the first command that needs it makes SQLite's file."""
    database = connections[alias].settings_dict
    path = Path(str(database["NAME"]))
    return not str(database["ENGINE"]).endswith("sqlite3") or path.exists()
