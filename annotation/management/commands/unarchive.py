"""unarchive: take up again what was archived."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.archive import UNARCHIVE

Command = OperationCommand.of(UNARCHIVE, "unarchive gender-2026 --what batch --name pilot")
