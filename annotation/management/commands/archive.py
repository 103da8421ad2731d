"""archive: put a study, or something of it, out of the way."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.archive import ARCHIVE


class Command(OperationCommand):
    operation = ARCHIVE
    example = "archive gender-2026 --what batch --name pilot"
