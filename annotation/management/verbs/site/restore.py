"""Both databases and the data folder, as they were at a backup."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.core.base_command import FairpoolCommand
from annotation.management.backups import backup_restore, backup_verify
from metrics.errors import InputError


class Command(FairpoolCommand):
    help = (
        "Restore a backup: it replaces what both databases hold now. Stop the site and the "
        "workers first, and run `migrate` and `site check` afterwards."
    )
    example = "site restore backups/2026-11-21 --yes"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="A backup.")
        parser.add_argument(
            "--yes", action="store_true", help="Replace what is there now (default: only verify)."
        )

    def handle(self, *, folder: Path, yes: bool, **options: Any) -> None:
        backup_verify(folder)
        if not yes:
            raise InputError(
                "the backup is complete; nothing was restored.",
                path=folder,
                remedy="Give --yes to replace what the databases hold now.",
            )
        backup_restore(folder, data_dir=settings.DATA_DIR)
        self.print_result(options, {"folder": folder}, f"{folder} was restored.")
