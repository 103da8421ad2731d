"""apply_retention: delete what has been kept for long enough."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.retention import APPLY_RETENTION


class Command(OperationCommand):
    operation = APPLY_RETENTION
    example = "apply_retention --days 180"
