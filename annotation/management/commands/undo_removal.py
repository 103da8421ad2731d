"""undo_removal: bring back what was removed within the last day."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.undo_removal import UNDO_REMOVAL

Command = OperationCommand.of(
    UNDO_REMOVAL, "undo_removal gender-2026 --what pool --name 'gender-2026 2'"
)
