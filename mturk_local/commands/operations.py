"""Bring the table of operations in the documentation up to date."""

from pathlib import Path
from typing import Any

from django.conf import settings
from django.core.management.base import BaseCommand

from mturk_local.operations.table import with_table


class Command(BaseCommand):
    help = "Write the table of operations into docs/mturk-local.md."
    requires_system_checks: list[str] = []

    def handle(self, *_args: Any, **_options: Any) -> None:
        page = Path(settings.BASE_DIR) / "docs" / "mturk-local.md"
        page.write_text(with_table(page.read_text(encoding="utf-8")), encoding="utf-8")
        self.stdout.write(f"{page} is up to date.")
