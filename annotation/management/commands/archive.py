"""archive: put a study, or something of it, out of the way."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.archive import ARCHIVE

Command = OperationCommand.of(ARCHIVE, "archive gender-2026 --what batch --name pilot")
