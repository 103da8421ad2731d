"""rename: another name for a study, or for what it holds."""

from annotation.core.commands import OperationCommand
from annotation.overview.operations.rename import RENAME

Command = OperationCommand.of(
    RENAME, "rename gender-2026 --what report --number 7 --new-name 'without BM25'"
)
