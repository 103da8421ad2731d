"""import_approvals: a panel's list of submissions says whose votes count."""

from annotation.core.commands import OperationCommand
from annotation.workers.operations.approvals import IMPORT_APPROVALS


class Command(OperationCommand):
    operation = IMPORT_APPROVALS
    example = "import_approvals study prolific_export.csv"
