"""import_approvals: a panel's list of submissions says whose votes count."""

from annotation.core.commands import OperationCommand
from annotation.workers.operations.approvals import IMPORT_APPROVALS

Command = OperationCommand.of(IMPORT_APPROVALS, "import_approvals study prolific_export.csv")
