"""Both databases and the data folder, as of now."""

from argparse import ArgumentParser
from pathlib import Path
from typing import Any

from django.conf import settings

from annotation.core.base_command import FairpoolCommand
from annotation.management.backups import write_backup
from metrics.io.parts import remove_dead_parts


class Command(FairpoolCommand):
    help = (
        "Write a backup of both databases and of the data folder into a new folder. The site "
        "can keep running. The backup holds secrets and people's answers: keep it safe."
    )
    example = "site backup backups/2026-11-21"

    def add_arguments(self, parser: ArgumentParser) -> None:
        parser.add_argument("folder", type=Path, metavar="FOLDER", help="The folder to make.")

    def handle(self, **options: Any) -> None:
        folder = options["folder"]
        for left in remove_dead_parts(folder.parent):
            self.note(f"Removed what a killed process had left: {left}.")
        checksums = write_backup(folder, data_dir=settings.DATA_DIR)
        result = {"folder": folder, "sha256": checksums}
        self.print_result(options, result, f"{len(checksums)} files written to {folder}.")
